// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/simt/harness.h"

#include <set>

#include "base/check.h"
#include "base/file.h"

namespace astitch::simt {

std::string ReadTestFile(const std::string& name) {
  const absl::StatusOr<std::string> text = ReadFile(ASTITCH_TEST_DATA "/simt/" + name);
  ASTITCH_CHECK(text.ok()) << text.status().ToString();
  return *text;
}

std::vector<Argument> Pointers(size_t count) {
  std::vector<Argument> out(count);
  for (size_t i = 0; i < count; ++i) out[i].buffer = static_cast<int32_t>(i);
  return out;
}

Argument Scalar32(uint32_t value) {
  Argument out;
  out.scalar.resize(4);
  std::memcpy(out.scalar.data(), &value, 4);
  return out;
}

LaunchResult MustLaunch(const std::string& ptx, const LaunchParams& params,
                        std::vector<Buffer>& buffers) {
  const absl::StatusOr<Module> module = ParsePtx(ptx);
  ASTITCH_CHECK(module.ok()) << module.status().ToString() << "\n" << ptx;
  absl::StatusOr<LaunchResult> result = Launch(*module, params, absl::MakeSpan(buffers));
  ASTITCH_CHECK(result.ok()) << result.status().ToString() << "\n" << ptx;
  return *std::move(result);
}

std::string Kinds(const LaunchResult& result) {
  std::set<std::string> kinds;
  for (const Report& report : result.reports) kinds.emplace(ToString(report.kind));
  std::string out;
  for (const std::string& kind : kinds) out += (out.empty() ? "" : ";") + kind;
  return out;
}

std::string Texts(const LaunchResult& result) {
  std::string out;
  for (const Report& report : result.reports) out += ToString(report) + "\n";
  return out;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to, int count) {
  size_t at = text.find(from);
  for (; count > 0 && at != std::string::npos; --count) at = text.find(from, at + 1);
  ASTITCH_CHECK(at != std::string::npos) << "no " << from;
  return text.replace(at, from.size(), to);
}

}  // namespace astitch::simt
