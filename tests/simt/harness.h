// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the tests of the simulator share: texts in, results out.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "simt/launch.h"

namespace astitch::simt {

std::string ReadTestFile(const std::string& name);  // of tests/data/simt

// A buffer of VALUES, which the kernel may write.
template <typename T>
Buffer BufferOf(const std::string& name, const std::vector<T>& values) {
  return Buffer::Of(name,
                    {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)});
}
template <typename T>
Buffer InputOf(const std::string& name, const std::vector<T>& values) {
  Buffer out = BufferOf(name, values);
  out.read_only = true;
  return out;
}
template <typename T>
std::vector<T> ValuesOf(const Buffer& buffer) {
  std::vector<T> out(buffer.bytes.size() / sizeof(T));
  std::memcpy(out.data(), buffer.bytes.data(), out.size() * sizeof(T));
  return out;
}
// The buffers, in order, as the arguments.
std::vector<Argument> Pointers(size_t count);
Argument Scalar32(uint32_t value);

// Parses and launches; a failure of either ends the test's process with the message.
LaunchResult MustLaunch(const std::string& ptx, const LaunchParams& params,
                        std::vector<Buffer>& buffers);
// "data race;out of bounds": the kinds that were reported, each once.
std::string Kinds(const LaunchResult& result);
// The reports as text, for messages of failed tests.
std::string Texts(const LaunchResult& result);

// TEXT with the COUNT-th occurrence (from 0) of FROM replaced. FROM has to be there.
std::string Replaced(std::string text, const std::string& from, const std::string& to,
                     int count = 0);

}  // namespace astitch::simt
