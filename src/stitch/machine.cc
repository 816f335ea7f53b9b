// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reads machine files; the embedded ones are a table made from machines/*.json at build.
#include "stitch/machine.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "stitch/embedded_machines.h"

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

  absl::Status Finish() {
    for (const auto& [key, value] : json_.items()) {
      if (std::find(used_.begin(), used_.end(), key) == used_.end() && key != "source") {
        Fail(absl::StrCat("unknown field \"", key, "\""));
      }
    }
    return status_;
  }

 private:
  void Fail(absl::string_view message) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(absl::StrCat(file_, ": ", message));
  }

  const Json& json_;
  absl::string_view file_;
  std::vector<std::string> used_;
  absl::Status status_;
};

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
  fields.Number("dram_gb_per_s", m.dram_gb_per_s, true, 0.001);
  fields.Number("reachable_share", m.reachable_share, false, 0.01);
  fields.Number("launch_us", m.launch_us, false, 0);
  fields.Number("grid_barrier_us", m.grid_barrier_us, false, 0);
  const absl::Status status = fields.Finish();
  if (!status.ok()) return status;
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
