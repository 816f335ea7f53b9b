// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A user of the installed compiler: builds a softmax, compiles it for this machine, runs it once
// and checks that each row sums to one.
#include <astitch/builder.h>
#include <astitch/compile.h>
#include <astitch/graph.h>

#include <cmath>
#include <cstdio>
#include <string>

namespace {

int Fail(const absl::Status& status) {
  std::printf("%s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace

int main() {
  using namespace astitch;
  GraphBuilder b("softmax");
  const Op x = b.Parameter(Shape::Array(ElementType::kF32, {2, 4}), "x");
  const Op max = b.BroadcastInDim(b.Reduce(x, {1}, ReduceKind::kMaximum), {2, 4}, {0});
  const Op exp = b.Exponential(b.Subtract(x, max));
  const Op sum = b.BroadcastInDim(b.Reduce(exp, {1}, ReduceKind::kAdd), {2, 4}, {0});
  const absl::StatusOr<GraphPtr> graph = b.Build(b.Divide(exp, sum));
  if (!graph.ok()) return Fail(graph.status());
  const auto compiled = Compile(**graph, {.target = "host", .threads = 1});
  if (!compiled.ok()) return Fail(compiled.status());
  if ((*compiled)->Summary().kernels != 1) return 1;

  float in[8] = {1, 2, 3, 4, 5, 5, 5, 5}, out[8] = {};
  const absl::Status run = (*compiled)->executable()->Run({{in, sizeof in}}, {{out, sizeof out}});
  if (!run.ok()) return Fail(run);
  for (int row = 0; row < 2; ++row) {
    const float* p = out + 4 * row;
    if (std::abs(p[0] + p[1] + p[2] + p[3] - 1) > 1e-6f) return 1;
  }
  return out[0] < out[1] && out[4] == 0.25f ? 0 : 1;
}
