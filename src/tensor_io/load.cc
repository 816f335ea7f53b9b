// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Slots are filled in the order of the specs; what is left over or missing is an error by name.
#include "tensor_io/load.h"

#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/status.h"
#include "tensor_io/npy.h"
#include "tensor_io/random.h"
#include "tensor_io/spec.h"
#include "tensor_io/zip.h"

namespace astitch {
namespace {

class Slots {
 public:
  Slots(absl::Span<const Shape> wanted, absl::string_view prefix, const Manifest* manifest)
      : wanted_(wanted), prefix_(prefix), manifest_(manifest), values_(wanted.size()) {}

  absl::Status Fill(absl::Span<const std::string> specs) {
    for (size_t i = 0; i < specs.size(); ++i) {
      ASTITCH_ASSIGN_OR_RETURN(const InputSpec spec, ParseInputSpec(specs[i]));
      if (spec.kind == InputSpec::Kind::kNpz) {
        ASTITCH_RETURN_IF_ERROR(FillFromArchive(spec.path));
        continue;
      }
      const bool fills_rest = spec.kind == InputSpec::Kind::kRandom && i + 1 == specs.size();
      size_t slot = NextEmpty();
      if (slot == values_.size() && !fills_rest) {
        return absl::InvalidArgumentError(
            absl::StrCat("more values than the graph's ", values_.size(), ": '", specs[i], "'"));
      }
      for (; slot < values_.size(); slot = NextEmpty()) {
        absl::StatusOr<Literal> value = One(spec, slot);
        if (!value.ok()) return Annotate(value.status(), Where(slot, spec.path));
        values_[slot] = *std::move(value);
        if (!fills_rest) break;
      }
    }
    return absl::OkStatus();
  }

  std::vector<std::optional<Literal>>& values() { return values_; }

 private:
  std::string Name(size_t slot) const { return absl::StrCat(prefix_, slot); }
  std::string Where(size_t slot, const std::string& path) const {
    return path.empty() ? Name(slot) : absl::StrCat(path, ": ", Name(slot));
  }
  size_t NextEmpty() const {
    size_t slot = 0;
    while (slot < values_.size() && values_[slot].has_value()) ++slot;
    return slot;
  }

  absl::Status FillFromArchive(const std::string& path) {
    ASTITCH_ASSIGN_OR_RETURN(const std::string file, ReadFile(path));
    absl::StatusOr<ZipArchive> archive = ZipArchive::Open(file);
    if (!archive.ok()) return Annotate(archive.status(), path);
    bool any = false;
    for (size_t slot = 0; slot < values_.size(); ++slot) {
      const std::string name = absl::StrCat(Name(slot), ".npy");
      if (values_[slot].has_value() || !archive->Contains(name)) continue;
      absl::StatusOr<std::string> array = archive->Read(name);
      if (!array.ok()) return Annotate(array.status(), Where(slot, path));
      absl::StatusOr<Literal> value = DecodeNpyAs(*array, wanted_[slot]);
      if (!value.ok()) return Annotate(value.status(), Where(slot, path));
      values_[slot] = *std::move(value);
      any = true;
    }
    if (any || values_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(path, ": expected arrays ", prefix_, "0, ",
                                                   prefix_, "1, ..., got ",
                                                   absl::StrJoin(archive->names(), ", ")));
  }

  absl::StatusOr<Literal> One(const InputSpec& spec, size_t slot) {
    const Shape& wanted = wanted_[slot];
    if (spec.kind == InputSpec::Kind::kRandom) {
      if (prefix_ != "arg") return absl::InvalidArgumentError("a random value is not expected");
      ASTITCH_ASSIGN_OR_RETURN(const Distribution distribution, DistributionOf(slot));
      return DrawLiteral(wanted, distribution, spec.seed, slot);
    }
    if (spec.kind == InputSpec::Kind::kNpy) {
      ASTITCH_ASSIGN_OR_RETURN(const std::string file, ReadFile(spec.path));
      return DecodeNpyAs(file, wanted);
    }
    if (!spec.shape.CompatibleWith(wanted)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected ", wanted.ToString(false), ", got ", spec.shape.ToString(false)));
    }
    if (spec.kind == InputSpec::Kind::kInline) return ParseValues(spec.shape, spec.values);
    ASTITCH_ASSIGN_OR_RETURN(const std::string file, ReadFile(spec.path));
    if (static_cast<int64_t>(file.size()) != spec.shape.byte_size()) {
      return absl::InvalidArgumentError(absl::StrCat("expected ", spec.shape.byte_size(),
                                                     " bytes, the file holds ", file.size()));
    }
    Literal out(spec.shape);
    if (!file.empty()) std::memcpy(out.mutable_bytes().data(), file.data(), file.size());
    return out;
  }

  absl::StatusOr<Distribution> DistributionOf(size_t slot) const {
    if (manifest_ == nullptr) return DefaultDistribution(wanted_[slot].element_type());
    if (slot >= manifest_->inputs.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the manifest has ", manifest_->inputs.size(), " inputs"));
    }
    const Manifest::Input& input = manifest_->inputs[slot];
    if (!input.shape.CompatibleWith(wanted_[slot])) {
      return absl::InvalidArgumentError(absl::StrCat("the manifest says ",
                                                     input.shape.ToString(false), ", the graph ",
                                                     wanted_[slot].ToString(false)));
    }
    return input.distribution;
  }

  absl::Span<const Shape> wanted_;
  absl::string_view prefix_;
  const Manifest* manifest_;
  std::vector<std::optional<Literal>> values_;
};

}  // namespace

absl::StatusOr<std::vector<Literal>> LoadInputs(absl::Span<const std::string> specs,
                                                absl::Span<const Shape> wanted,
                                                const Manifest* manifest) {
  Slots slots(wanted, "arg", manifest);
  ASTITCH_RETURN_IF_ERROR(slots.Fill(specs));
  std::vector<Literal> out;
  std::vector<std::string> missing;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (slots.values()[i].has_value()) {
      out.push_back(*std::move(slots.values()[i]));
    } else {
      missing.push_back(absl::StrCat("arg", i, " ", wanted[i].ToString(false)));
    }
  }
  if (missing.empty()) return out;
  constexpr size_t kShown = 8;
  const size_t count = missing.size();
  if (count > kShown) missing.resize(kShown);
  return absl::InvalidArgumentError(
      absl::StrCat("no value for ", absl::StrJoin(missing, ", "), count > kShown ? ", ..." : "",
                   "; give --input=@x.npy, --input=2x2xf32=1,2,3,4 or --input=random:SEED"));
}

absl::StatusOr<std::vector<std::optional<Literal>>> LoadExpected(
    absl::Span<const std::string> specs, absl::Span<const Shape> wanted) {
  Slots slots(wanted, "out", nullptr);
  ASTITCH_RETURN_IF_ERROR(slots.Fill(specs));
  return std::move(slots.values());
}

absl::Status SaveOutputs(const std::string& path, absl::Span<const Literal> outputs) {
  const std::string file(absl::StripPrefix(path, "@"));
  if (!absl::EndsWith(file, ".npz")) {
    if (outputs.size() == 1) return WriteFile(file, EncodeNpy(outputs[0]));
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": ", outputs.size(), " outputs need a file whose name ends in .npz"));
  }
  ZipWriter writer;
  for (size_t i = 0; i < outputs.size(); ++i) {
    writer.Add(absl::StrCat("out", i, ".npy"), EncodeNpy(outputs[i]));
  }
  return WriteFile(file, writer.Finish());
}

}  // namespace astitch
