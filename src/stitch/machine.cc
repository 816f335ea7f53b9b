// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reads machine files; the embedded ones are a table made from machines/*.json at build.
#include "stitch/machine.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "stitch/embedded_machines.h"
#include "stitch/machine_defaults.h"

namespace astitch {
namespace {

using Json = nlohmann::json;

// Reads fields of one object and remembers the first fault.
class Fields {
 public:
  Fields(const Json& json, absl::string_view file) : json_(json), file_(file) {}

  template <typename T>
  void Number(const char* key, T& out, bool required, double min) {
    used_.push_back(key);
    const auto it = json_.find(key);
    if (it == json_.end()) {
      if (required) Fail(absl::StrCat("expected a number \"", key, "\", got nothing"));
      return;
    }
    if (!it->is_number() || it->get<double>() < min) {
      return Fail(absl::StrCat("expected a number of at least ", min, " for \"", key, "\", got ",
                               it->dump()));
    }
    out = it->get<T>();
    given_.push_back(key);
  }

  std::string Text(const char* key) {
    used_.push_back(key);
    const auto it = json_.find(key);
    if (it == json_.end() || !it->is_string()) {
      Fail(absl::StrCat("expected a string \"", key, "\""));
      return "";
    }
    return it->get<std::string>();
  }

  std::vector<std::string> Words(const char* key) {
    used_.push_back(key);
    std::vector<std::string> out;
    const auto it = json_.find(key);
    if (it == json_.end()) return out;
    for (const Json& item : *it) {
      if (item.is_string()) out.push_back(item.get<std::string>());
    }
    return out;
  }

  absl::Status Finish(std::map<std::string, std::string>& sources) {
    used_.insert(used_.end(), {"source", "sources"});
    for (const auto& [key, value] : json_.items()) {
      if (std::find(used_.begin(), used_.end(), key) == used_.end()) {
        Fail(absl::StrCat("unknown field \"", key, "\""));
      }
    }
    sources = Sources();
    return status_;
  }

 private:
  // By field. REQUIRES: all numbers are read.
  std::map<std::string, std::string> Sources() {
    std::map<std::string, std::string> out;
    if (const auto all = json_.find("sources"); all != json_.end()) {
      if (!all->is_object()) Fail("expected an object \"sources\", of a list of fields a source");
      for (const auto& [source, fields] : all->items()) AddSource(source, fields, out);
    }
    const auto rest = json_.find("source");
    for (const std::string& field : given_) {
      if (out.contains(field)) continue;
      if (rest == json_.end() || !rest->is_string()) {
        Fail(absl::StrCat("expected a source of \"", field,
                          "\" in \"sources\", or a string \"source\" for all fields"));
        break;
      }
      out[field] = rest->get<std::string>();
    }
    return out;
  }

  void AddSource(const std::string& source, const Json& fields,
                 std::map<std::string, std::string>& out) {
    if (!fields.is_array()) Fail(absl::StrCat("expected a list of fields for \"", source, "\""));
    for (const Json& item : fields) {
      const std::string field = item.is_string() ? item.get<std::string>() : item.dump();
      if (std::find(given_.begin(), given_.end(), field) == given_.end())
        Fail(absl::StrCat("expected a figure of the file in \"sources\", got \"", field, "\""));
      if (!out.emplace(field, source).second)
        Fail(absl::StrCat("expected one source of \"", field, "\", got two"));
    }
  }

  void Fail(absl::string_view message) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(absl::StrCat(file_, ": ", message));
  }

  const Json& json_;
  absl::string_view file_;
  std::vector<std::string> used_;
  std::vector<std::string> given_;  // numbers that the file has
  absl::Status status_;
};

// What decides whether a plan runs.
void ReadSizes(Fields& fields, MachineModel& m) {
  const bool gpu = !m.is_host();
  fields.Number("sm", m.sm, gpu, 70);
  fields.Number("num_sms", m.num_sms, gpu, 1);
  fields.Number("max_threads_per_sm", m.max_threads_per_sm, gpu, 32);
  fields.Number("max_blocks_per_sm", m.max_blocks_per_sm, gpu, 1);
  fields.Number("max_threads_per_block", m.max_threads_per_block, false, 32);
  fields.Number("registers_per_sm", m.registers_per_sm, false, 1024);
  fields.Number("max_registers_per_thread", m.max_registers_per_thread, false, 16);
  fields.Number("shared_bytes_per_sm", m.shared_bytes_per_sm, gpu, 1024);
  fields.Number("shared_bytes_per_block", m.shared_bytes_per_block, gpu, 1024);
  fields.Number("max_cluster", m.max_cluster, false, 1);
  fields.Number("workers", m.workers, !gpu, 1);
  fields.Number("l1_bytes", m.l1_bytes, false, 1024);
  fields.Number("l2_bytes", m.l2_bytes, true, 1024);
  fields.Number("l3_bytes", m.l3_bytes, false, 0);
  fields.Number("vector_bytes", m.vector_bytes, false, 16);
  fields.Number("dram_bytes", m.dram_bytes, false, 0);
}

// What decides how long it takes.
void ReadSpeeds(Fields& fields, MachineModel& m) {
  constexpr double kLeast = 0.001;
  fields.Number("dram_gb_per_s", m.dram_gb_per_s, true, kLeast);
  fields.Number("reachable_share", m.reachable_share, false, 0.01);
  fields.Number("launch_us", m.launch_us, false, 0);
  fields.Number("grid_barrier_us", m.grid_barrier_us, false, 0);
  fields.Number("clock_ghz", m.clock_ghz, false, kLeast);
  fields.Number("matrix_tflops", m.matrix_tflops, false, kLeast);
  fields.Number("fp32_lanes_per_sm", m.fp32_lanes_per_sm, false, 1);
  fields.Number("fp64_lanes_per_sm", m.fp64_lanes_per_sm, false, 1);
  fields.Number("special_lanes_per_sm", m.special_lanes_per_sm, false, 1);
  fields.Number("l2_gb_per_s", m.l2_gb_per_s, false, kLeast);
  fields.Number("dram_latency_ns", m.dram_latency_ns, false, 0);
  fields.Number("l2_latency_ns", m.l2_latency_ns, false, 0);
  fields.Number("block_barrier_ns", m.block_barrier_ns, false, 0);
  fields.Number("cluster_barrier_ns", m.cluster_barrier_ns, false, 0);
  fields.Number("vector_ports", m.vector_ports, false, 1);
  fields.Number("worker_l2_gb_per_s", m.worker_l2_gb_per_s, false, kLeast);
  fields.Number("worker_l3_gb_per_s", m.worker_l3_gb_per_s, false, kLeast);
  fields.Number("worker_dram_gb_per_s", m.worker_dram_gb_per_s, false, kLeast);
}

const std::vector<MachineModel>& Embedded() {
  static const auto* const kMachines = [] {
    auto* machines = new std::vector<MachineModel>();
    for (const EmbeddedMachine& file : kEmbeddedMachines) {
      absl::StatusOr<MachineModel> machine = ParseMachine(file.json, file.name);
      if (machine.ok()) machines->push_back(*std::move(machine));
    }
    return machines;
  }();
  return *kMachines;
}

}  // namespace

absl::StatusOr<MachineModel> ParseMachine(absl::string_view json, absl::string_view file) {
  const Json root = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!root.is_object())
    return absl::InvalidArgumentError(absl::StrCat(file, ": expected a JSON object"));
  Fields fields(root, file);
  MachineModel m;
  m.name = fields.Text("name");
  const std::string kind = fields.Text("kind");
  m.kind = kind == "host" ? MachineModel::Kind::kHost : MachineModel::Kind::kGpu;
  if (kind != "host" && kind != "gpu") {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": expected \"kind\" host or gpu, got \"", kind, "\""));
  }
  m.aliases = fields.Words("aliases");
  ReadSizes(fields, m);
  ReadSpeeds(fields, m);
  ASTITCH_RETURN_IF_ERROR(fields.Finish(m.sources));
  FillDefaults(m);
  return m;
}

absl::StatusOr<MachineModel> FindMachine(absl::string_view name) {
  for (const MachineModel& machine : Embedded()) {
    if (machine.name == name) return machine;
    if (std::find(machine.aliases.begin(), machine.aliases.end(), name) != machine.aliases.end())
      return machine;
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown target ", name, "; known: host, interp, ",
                                                 absl::StrJoin(ListMachines(), ", "),
                                                 ", their sm_NN names, or @file.json"));
}

std::vector<std::string> ListMachines() {
  std::vector<std::string> names;
  for (const MachineModel& machine : Embedded()) names.push_back(machine.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace astitch
