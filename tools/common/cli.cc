// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Flags are checked before CLI11 sees them: it would complain of a missing argument first.
#include "tools/common/cli.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <numeric>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status.h"
#include "tools/common/version.h"

namespace astitch {
namespace {

// Set once by RunTool: the name in front of errors that have no place in a file.
std::string& ToolName() {
  static std::string name = "astitch";
  return name;
}

int EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i));
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

// "--name" of "--name=value", "-o" of "-oFILE"; empty when ARGUMENT is no flag.
std::string FlagOf(absl::string_view argument) {
  if (argument.size() < 2 || argument[0] != '-') return "";
  if (argument[1] == '-') return std::string(argument.substr(0, argument.find('=')));
  return absl::ascii_isalpha(argument[1]) ? std::string(argument.substr(0, 2)) : "";
}

absl::Status CheckFlags(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : option->get_snames()) known.push_back("-" + name);
  }
  for (int i = 1; i < argc; ++i) {
    if (absl::string_view(argv[i]) == "--") break;
    const std::string flag = FlagOf(argv[i]);
    if (flag.empty() || std::find(known.begin(), known.end(), flag) != known.end()) continue;
    const std::string near = Nearest(flag, known);
    return absl::InvalidArgumentError(absl::StrCat(
        "unknown flag ", flag, near.empty() ? "; see --help" : "; did you mean ", near));
  }
  return absl::OkStatus();
}

int Parse(CLI::App& app, int argc, char** argv, bool& done) {
  done = true;
  if (const absl::Status status = CheckFlags(app, argc, argv); !status.ok()) {
    return Fail(status, kExitUserError);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Emit("-", app.help());
  } catch (const CLI::CallForVersion&) {
    return Emit("-", VersionText() + "\n");
  } catch (const CLI::Error& error) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(error.what(), "; see --help")),
                kExitUserError);
  }
  done = false;
  return kExitOk;
}

}  // namespace

std::string Nearest(absl::string_view word, const std::vector<std::string>& known) {
  std::string best;
  // Past a third of the letters a suggestion misleads more than it helps.
  int best_distance = static_cast<int>(word.size()) / 3 + 2;
  for (const std::string& candidate : known) {
    const int distance = EditDistance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string VersionText() {
  return absl::StrCat("astitch ", ASTITCH_VERSION, " (git ", ASTITCH_GIT_HASH, ") LLVM ",
                      ASTITCH_LLVM_VERSION);
}

int RunTool(CLI::App& app, int argc, char** argv, absl::FunctionRef<int()> body) {
  ToolName() = app.get_name();
  try {
    app.set_version_flag("--version", VersionText(), "Print the version and leave");
    bool done = false;
    const int code = Parse(app, argc, argv, done);
    return done ? code : body();
  } catch (const std::bad_alloc&) {
    return Fail(absl::ResourceExhaustedError("out of memory"), kExitCompileFailure);
  } catch (const std::exception& error) {
    return Fail(absl::InternalError(error.what()), kExitCompileFailure);
  }
}

int Fail(const absl::Status& status, ExitCode code, const Source* source) {
  std::vector<Diagnostic> diagnostics = GetDiagnostics(status);
  std::string text;
  if (diagnostics.empty() || source == nullptr) {
    text = RenderError(status, ToolName());
  } else {
    const std::vector<absl::string_view> lines = absl::StrSplit(source->text, '\n');
    for (Diagnostic& d : diagnostics) {
      const size_t line = static_cast<size_t>(d.position.line);
      if (d.text_line.empty() && line >= 1 && line <= lines.size()) {
        d.text_line = std::string(absl::StripSuffix(lines[line - 1], "\r"));
      }
    }
    text = RenderError(DiagnosticsError(diagnostics), source->name);
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
  return code;
}

int Emit(const std::string& path, absl::string_view text) {
  const absl::Status status = WriteFile(path.empty() ? "-" : path, text);
  return status.ok() ? kExitOk : Fail(status, kExitUserError);
}

}  // namespace astitch
