// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The image as text, for dumps and for tests that compare images.
#include "artifact/executable_image.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace astitch {

std::string ToString(const TensorSpec& spec) {
  std::string out = absl::StrCat(spec.name, spec.name.empty() ? "" : " ", spec.element_type, "[",
                                 absl::StrJoin(spec.dims, ","), "]");
  if (!spec.dims.empty()) absl::StrAppend(&out, "{", absl::StrJoin(spec.minor_to_major, ","), "}");
  return out;
}

std::string ToString(const ExecutableImage& image) {
  std::string out = absl::StrCat("image target=", image.target,
                                 " features=", absl::StrJoin(image.cpu_features, ","),
                                 " arena=", image.arena_bytes, "\n");
  if (image.gpu.sm != 0) {
    absl::StrAppend(&out, "gpu sm_", image.gpu.sm, " multiprocessors=", image.gpu.num_sms,
                    " l2=", image.gpu.l2_bytes, "\n");
  }
  const auto specs = [&out](const char* word, const std::vector<TensorSpec>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      absl::StrAppend(&out, word, " ", i, " ", ToString(list[i]), " ", list[i].bytes, " bytes\n");
    }
  };
  specs("input", image.inputs);
  specs("output", image.outputs);
  for (const AliasedPair& alias : image.aliases) {
    absl::StrAppend(&out, "alias output ", alias.output, " input ", alias.input,
                    alias.in_place ? " in-place" : "", "\n");
  }
  const auto blobs = [&out](const char* word, const std::vector<std::vector<std::byte>>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      absl::StrAppend(&out, word, " ", i, " ", list[i].size(), " bytes\n");
    }
  };
  blobs("constant", image.constants);
  blobs("object", image.objects);
  for (size_t i = 0; i < image.ptx.size(); ++i) {
    absl::StrAppend(&out, "ptx ", i, " ", image.ptx[i].size(), " bytes\n");
  }
  for (size_t i = 0; i < image.steps.size(); ++i) {
    absl::StrAppend(&out, "step ", i, " ", ToString(image.steps[i]), "\n");
  }
  return out;
}

}  // namespace astitch
