// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every installed header of the runtime, and a reference that pulls in the whole library.
#include <astitch/element_type.h>
#include <astitch/executable.h>
#include <astitch/literal.h>
#include <astitch/shape.h>
#include <astitch/tensor_spec.h>

#include <cstdio>

int main() {
  const auto run = &astitch::Executable::Run;
  astitch::TensorSpec spec;
  spec.element_type = "f32";
  spec.dims = {2, 3};
  spec.minor_to_major = {1, 0};
  const std::string text = astitch::ToString(spec);
  std::printf("%s\n", text.c_str());
  return text == "f32[2,3]{1,0}" && run != nullptr ? 0 : 1;
}
