// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A process of its own for each kernel; its figures are read off its words, which are the same in
// every version since CUDA 8.
#include "codegen/nvptx/assembler.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/status.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

namespace astitch {
namespace {

// The number that ends before the first UNIT in TEXT; 0: none.
int64_t NumberBefore(absl::string_view text, absl::string_view unit) {
  const size_t end = text.find(unit);
  if (end == absl::string_view::npos) return 0;
  size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  int64_t number = 0;
  return absl::SimpleAtoi(text.substr(begin, end - begin), &number) ? number : 0;
}

// Files of one run of the assembler, which go when it is over.
class Files {
 public:
  absl::Status Make() {
    for (const auto& [path, ending] :
         {std::pair{&ptx_, "ptx"}, {&cubin_, "cubin"}, {&log_, "log"}}) {
      llvm::SmallString<128> made;
      if (const std::error_code error = llvm::sys::fs::createTemporaryFile("astitch", ending, made))
        return absl::UnavailableError(
            absl::StrCat("no temporary file for the assembler: ", error.message()));
      *path = std::string(made);
      removers_.emplace_back(*path);
    }
    return absl::OkStatus();
  }
  const std::string& ptx() const { return ptx_; }
  const std::string& cubin() const { return cubin_; }
  const std::string& log() const { return log_; }

 private:
  std::string ptx_, cubin_, log_;
  std::vector<llvm::FileRemover> removers_;
};

}  // namespace

absl::StatusOr<std::string> FindAssembler(const std::string& program) {
  const llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(program);
  if (path && llvm::sys::fs::can_execute(*path)) return *path;
  return absl::NotFoundError(
      absl::StrCat("expected an assembler, got '", program, "', which is no program"));
}

absl::StatusOr<AssembledKernel> AssemblePtx(const std::string& path, const std::string& ptx,
                                            int sm) {
  Files files;
  ASTITCH_RETURN_IF_ERROR(files.Make());
  ASTITCH_RETURN_IF_ERROR(WriteFile(files.ptx(), ptx));
  const std::string arch = absl::StrCat("-arch=sm_", sm);
  const llvm::StringRef arguments[] = {path, "-v", arch, "-o", files.cubin(), files.ptx()};
  const std::optional<llvm::StringRef> streams[] = {
      llvm::StringRef(""), llvm::StringRef(files.log()), llvm::StringRef(files.log())};
  std::string failure;
  const int code =
      llvm::sys::ExecuteAndWait(path, arguments, std::nullopt, streams, 0, 0, &failure);
  ASTITCH_ASSIGN_OR_RETURN(const std::string words, ReadFile(files.log()));
  if (code != 0)
    return absl::InternalError(
        absl::StrCat("the assembler refuses a kernel with exit code ", code, ": ", failure, words));
  AssembledKernel out;
  const absl::string_view used =
      absl::string_view(words).substr(std::min(words.size(), words.find("Used ")));
  out.registers = static_cast<int32_t>(NumberBefore(used, " registers"));
  out.spilled_bytes = NumberBefore(words, " bytes spill stores");
  out.static_shared_bytes = NumberBefore(words, " bytes smem");
  return out;
}

}  // namespace astitch
