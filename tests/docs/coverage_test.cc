// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The table of docs/op-coverage.md, made from the code that decides: the interpreter's dispatch,
// the planner's classes, and for what passes rewrite a graph that must compile.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "astitch/compile.h"
#include "interp/dispatch.h"
#include "ir/graph.h"
#include "stitch/op_class.h"
#include "tests/docs/marked_text.h"

namespace astitch {
namespace {

// Graphs, one for each operation that the planner never sees.
const std::map<Opcode, std::string>& Rewritten() {
  static const auto* graphs = new std::map<Opcode, std::string>{
      {Opcode::kAllGather, "ROOT r = f32[4] all-gather(x), dimensions={0}, replica_groups={}"},
      {Opcode::kAllReduce, "ROOT r = f32[4] all-reduce(x), replica_groups={}, to_apply=add"},
      {Opcode::kAllReduceDone,
       "s = f32[4] all-reduce-start(x), replica_groups={}, to_apply=add\n"
       "ROOT r = f32[4] all-reduce-done(s)"},
      {Opcode::kAllReduceStart,
       "s = f32[4] all-reduce-start(x), replica_groups={}, to_apply=add\n"
       "ROOT r = f32[4] all-reduce-done(s)"},
      {Opcode::kAllToAll, "ROOT r = f32[4] all-to-all(x), dimensions={0}, replica_groups={}"},
      {Opcode::kAsyncDone,
       "s = ((f32[4]), f32[4]) async-start(x), calls=twice\n"
       "ROOT r = f32[4] async-done(s)"},
      {Opcode::kAsyncStart,
       "s = ((f32[4]), f32[4]) async-start(x), calls=twice\n"
       "ROOT r = f32[4] async-done(s)"},
      {Opcode::kAsyncUpdate,
       "s = ((f32[4]), f32[4]) async-start(x), calls=twice\n"
       "u = ((f32[4]), f32[4]) async-update(s)\n"
       "ROOT r = f32[4] async-done(u)"},
      {Opcode::kBatchNormGrad,
       "m = f32[2,4] broadcast(x), dimensions={1}\n"
       "ROOT r = (f32[2,4], f32[4], f32[4]) batch-norm-grad(m, x, x, x, m), epsilon=1, "
       "feature_index=1"},
      {Opcode::kBatchNormInference,
       "m = f32[2,4] broadcast(x), dimensions={1}\n"
       "ROOT r = f32[2,4] batch-norm-inference(m, x, x, x, x), epsilon=1, feature_index=1"},
      {Opcode::kBatchNormTraining,
       "m = f32[2,4] broadcast(x), dimensions={1}\n"
       "ROOT r = (f32[2,4], f32[4], f32[4]) batch-norm-training(m, x, x), epsilon=1, "
       "feature_index=1"},
      {Opcode::kCall, "ROOT r = f32[4] call(x), to_apply=twice"},
      {Opcode::kCollectiveBroadcast,
       "ROOT r = f32[4] collective-broadcast(x), replica_groups={{0}}"},
      {Opcode::kComplex, "c = c64[4] complex(x, x)\nROOT r = f32[4] abs(c)"},
      {Opcode::kCopyDone,
       "s = (f32[4], f32[4], u32[]) copy-start(x)\nROOT r = f32[4] copy-done(s)"},
      {Opcode::kCopyStart,
       "s = (f32[4], f32[4], u32[]) copy-start(x)\nROOT r = f32[4] copy-done(s)"},
      {Opcode::kCustomCall, "ROOT r = f32[4] custom-call(x), custom_call_target=\"Sharding\""},
      {Opcode::kDomain,
       "ROOT r = f32[4] domain(x), domain={kind=\"sharding\", entry={replicated}, "
       "exit={replicated}}"},
      {Opcode::kFusion, "ROOT r = f32[4] fusion(x), kind=kLoop, calls=twice"},
      {Opcode::kImag, "c = c64[4] complex(x, x)\nROOT r = f32[4] imag(c)"},
      {Opcode::kMap, "ROOT r = f32[4] map(x, x), dimensions={0}, to_apply=add"},
      {Opcode::kOptBarrier, "ROOT r = f32[4] opt-barrier(x)"},
      {Opcode::kPartitionId, "ROOT r = u32[] partition-id()"},
      {Opcode::kReal, "c = c64[4] complex(x, x)\nROOT r = f32[4] real(c)"},
      {Opcode::kReduceScatter,
       "ROOT r = f32[4] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=add"},
      {Opcode::kReplicaId, "ROOT r = u32[] replica-id()"},
      {Opcode::kRngBitGenerator,
       "s = u64[2] constant({1,2})\n"
       "ROOT r = (u64[2], u32[4]) rng-bit-generator(s), algorithm=rng_philox"},
  };
  return *graphs;
}

std::string GraphAround(const std::string& lines) {
  return absl::StrCat(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
twice {
  p = f32[4] parameter(0)
  ROOT t = f32[4] add(p, p)
}
ENTRY e {
  x = f32[4] parameter(0)
)",
                      lines, "\n}\n");
}

absl::Status CompileGraph(const std::string& text) {
  const absl::StatusOr<GraphPtr> graph = ParseGraph(text);
  if (!graph.ok()) return graph.status();
  return Compile(**graph, {.plan_only = true}).status();
}

std::string CompiledWord(const Instruction& instruction) {
  // Unless they have several results.
  if (instruction.opcode() == Opcode::kReduceWindow || instruction.opcode() == Opcode::kScatter)
    return "stitched";
  if (instruction.opcode() == Opcode::kTopK)
    return "rewritten by passes for up to 16 elements, else a reference step";
  if (instruction.opcode() == Opcode::kSort)
    return "rewritten by passes for up to 512 elements in a total order, else a reference step";
  if (instruction.opcode() == Opcode::kWhile)
    return "written out by passes where its turns are known and few, else a reference step";
  if (instruction.opcode() == Opcode::kConditional)
    return "stitched where its branches are small, else a reference step";
  if (Rewritten().contains(instruction.opcode())) return "rewritten by passes";
  switch (ClassOf(instruction)) {
    case StitchClass::kSource:
    case StitchClass::kTuple:
      return "no work";
    case StitchClass::kStitch:
      return "stitched";
    case StitchClass::kReduce:
      return "stitched, ends a sweep";
    case StitchClass::kSolo:
      return "a kernel of its own";
    case StitchClass::kLibrary:
      return instruction.opcode() == Opcode::kDot ? "library call, or stitched" : "library call";
    case StitchClass::kReference:
      return "reference step";
    case StitchClass::kRefused:
      return "-";
  }
  return "";
}

TEST(Coverage, TableIsCurrent) {
  Graph graph("any");
  Computation* computation = graph.AddComputation("any");
  std::string table = "| operation | interpreter | compiled |\n|---|---|---|\n";
#define ASTITCH_X(enumerator, word, arity, kind)                                                  \
  {                                                                                               \
    const Opcode opcode = Opcode::enumerator;                                                     \
    Attributes attributes;                                                                        \
    if (opcode == Opcode::kParameter) attributes = ParameterAttributes{0};                        \
    const Instruction* instruction = computation->Add(opcode, Shape(), {}, attributes);           \
    absl::StrAppend(&table, "| ", word, " | ", interp::HasEvaluator(opcode) ? "yes" : "-", " | ", \
                    CompiledWord(*instruction), " |\n");                                          \
  }
  ASTITCH_OPCODES(ASTITCH_X)
#undef ASTITCH_X
  ExpectMarkedText("docs/op-coverage.md", "coverage", table);
}

TEST(Coverage, RewrittenOperationsCompile) {
  for (const auto& [opcode, lines] : Rewritten()) {
    const std::string text = GraphAround(lines);
    EXPECT_TRUE(absl::StrContains(text, absl::StrCat(" ", ToString(opcode), "("))) << text;
    const absl::Status status = CompileGraph(text);
    EXPECT_TRUE(status.ok()) << ToString(opcode) << ": " << status;
  }
}

}  // namespace
}  // namespace astitch
