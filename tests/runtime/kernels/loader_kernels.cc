// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Code that makes the compiler use every kind of section and relocation that a complete object may
// have: tables of constants and of pointers, writable and zeroed data, a jump table, calls and
// addresses of visible functions. Compiled for several code models; see CMakeLists.txt.

using Function = long (*)(long);

extern "C" {

const long primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
long counter = 40;
long zeroed[1000];

__attribute__((noinline)) long twice(long x) { return 2 * x; }
__attribute__((noinline)) long square(long x) { return x * x; }
extern const Function functions[2] = {twice, square};

long prime(long i) { return primes[i & 7]; }
long call(long which, long x) { return functions[which & 1](x); }
long count() { return ++counter; }
long remember(long i, long value) {
  const long before = zeroed[i];
  zeroed[i] = value;
  return before;
}
const char* word(long i) {
  switch (i) {
    case 0:
      return "zero";
    case 1:
      return "one";
    case 2:
      return "two";
    case 3:
      return "three";
    case 4:
      return "four";
    case 5:
      return "five";
  }
  return "many";
}
double scale(double x) { return x * 1.5 + 0.25; }
Function address_of_twice() { return twice; }
long sum_of_squares(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += square(i);
  return sum;
}

}  // extern "C"
