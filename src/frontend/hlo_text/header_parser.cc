// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Attributes of the module by name; tables as lists whose printed ids do not matter.
#include "frontend/hlo_text/header_parser.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/attribute_value.h"
#include "frontend/hlo_text/shape_parser.h"

namespace astitch::hlo_text {
namespace {

// ---- attributes of the module

bool ReadEntryLayout(Reader& reader, ModuleHeader* header) {
  header->has_entry_layout = true;
  if (!reader.Expect(TokenKind::kLeftBrace, "'{' of the entry layout") ||
      !reader.Expect(TokenKind::kLeftParen, "'(' of the entry's parameters"))
    return false;
  if (!reader.Is(TokenKind::kRightParen)) {
    do {
      header->entry_layout.parameters.emplace_back();
      if (!ReadShape(reader, &header->entry_layout.parameters.back())) return false;
    } while (reader.Eat(TokenKind::kComma));
  }
  return reader.Expect(TokenKind::kRightParen, "',' or ')'") &&
         reader.Expect(TokenKind::kArrow, "'->'") &&
         ReadShape(reader, &header->entry_layout.result) &&
         reader.Expect(TokenKind::kRightBrace, "'}' of the entry layout");
}

// (parameter, {index}
bool ReadDonatedPart(Reader& reader, int64_t* parameter, std::vector<int64_t>* index) {
  return reader.Expect(TokenKind::kLeftParen, "'('") &&
         reader.ReadNonNegative("a parameter number", parameter) &&
         reader.Expect(TokenKind::kComma, "','") && ReadIndexPath(reader, index);
}

bool ReadAliases(Reader& reader, ModuleHeader* header) {
  return ReadBracedList(reader, "'{' of the aliases", [&] {
    InputOutputAlias alias;
    if (!ReadIndexPath(reader, &alias.output_index) || !reader.Expect(TokenKind::kColon, "':'") ||
        !ReadDonatedPart(reader, &alias.parameter, &alias.parameter_index))
      return false;
    if (reader.Eat(TokenKind::kComma)) {
      const absl::string_view kind = reader.token().text;
      if (kind != "may-alias" && kind != "must-alias")
        return reader.Fail("may-alias or must-alias");
      alias.must_alias = kind == "must-alias";
      reader.Next();
    }
    header->input_output_alias.push_back(std::move(alias));
    return reader.Expect(TokenKind::kRightParen, "')' of an alias");
  });
}

bool ReadDonors(Reader& reader, ModuleHeader* header) {
  return ReadBracedList(reader, "'{' of the donors", [&] {
    BufferDonor donor;
    if (!ReadDonatedPart(reader, &donor.parameter, &donor.parameter_index)) return false;
    header->buffer_donor.push_back(std::move(donor));
    return reader.Expect(TokenKind::kRightParen, "')' of a donor");
  });
}

// {true,false}, true or false.
bool ReadPropagation(Reader& reader, std::string* out) {
  if (reader.Is(TokenKind::kLeftBrace)) return ReadBoolList(reader, out);
  bool value = false;
  if (!reader.ReadBool("true, false or a list of them", &value)) return false;
  *out = value ? "{true}" : "{false}";
  return true;
}

bool ReadCount(Reader& reader, int64_t* out) {
  return reader.ReadNonNegative("a positive count", out);
}

struct ModuleAttribute {
  absl::string_view word;
  bool (*read)(Reader&, ModuleHeader*);
};

constexpr ModuleAttribute kModuleAttributes[] = {
    {"is_scheduled",
     [](Reader& r, ModuleHeader* h) { return r.ReadBool("true or false", &h->is_scheduled); }},
    {"input_output_alias", ReadAliases},
    {"buffer_donor", ReadDonors},
    {"alias_passthrough_params",
     [](Reader& r, ModuleHeader* h) {
       return r.ReadBool("true or false", &h->alias_passthrough_params);
     }},
    {"entry_computation_layout", ReadEntryLayout},
    {"allow_spmd_sharding_propagation_to_parameters",
     [](Reader& r, ModuleHeader* h) { return ReadPropagation(r, &h->allow_spmd_to_parameters); }},
    {"allow_spmd_sharding_propagation_to_output",
     [](Reader& r, ModuleHeader* h) { return ReadPropagation(r, &h->allow_spmd_to_output); }},
    {"replica_count", [](Reader& r, ModuleHeader* h) { return ReadCount(r, &h->replica_count); }},
    {"num_partitions", [](Reader& r, ModuleHeader* h) { return ReadCount(r, &h->num_partitions); }},
    {"frontend_attributes",
     [](Reader& r, ModuleHeader* h) { return ReadFrontendAttributes(r, &h->frontend_attributes); }},
    // A debugging aid that holds whole modules; nothing keeps it.
    {"origin_recovery_table",
     [](Reader& r, ModuleHeader*) {
       std::string dropped;
       return r.ReadStringOrBlob("a blob", &dropped);
     }},
};

// ---- tables

bool ReadStrings(Reader& reader, std::vector<std::string>* out) {
  while (reader.Eat(TokenKind::kInteger)) {
    out->emplace_back();
    if (!reader.ReadString("a quoted name", &out->back())) return false;
  }
  return true;
}

// {key=1 key=2}: every one of KEYS once, any order.
bool ReadNumbers(Reader& reader, absl::Span<const absl::string_view> keys,
                 std::vector<int64_t>* values) {
  const Token at = reader.token();
  values->assign(keys.size(), -1);
  if (!reader.Expect(TokenKind::kLeftBrace, "'{'")) return false;
  while (!reader.Eat(TokenKind::kRightBrace)) {
    const Token key = reader.token();
    const auto found = std::find(keys.begin(), keys.end(), key.text);
    if (key.kind != TokenKind::kAttribute || found == keys.end())
      return reader.Fail(absl::StrCat(keys[0], "= and the like, or '}'"));
    int64_t& value = (*values)[found - keys.begin()];
    if (value >= 0) return reader.FailAt(key, absl::StrCat(key.text, " stands twice"));
    reader.Next();
    if (!reader.ReadNonNegative("a number", &value)) return false;
    reader.Eat(TokenKind::kComma);
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    if ((*values)[i] < 0)
      return reader.FailAt(at, absl::StrCat("expected ", keys[i], ", got none"));
  }
  return true;
}

bool ReadLocations(Reader& reader, std::vector<StackFrames::Location>* out) {
  static constexpr absl::string_view kKeys[] = {"file_name_id", "function_name_id", "line",
                                                "end_line",     "column",           "end_column"};
  std::vector<int64_t> v;
  while (reader.Eat(TokenKind::kInteger)) {
    if (!ReadNumbers(reader, kKeys, &v)) return false;
    out->push_back({v[0], v[1], v[2], v[3], v[4], v[5]});
  }
  return true;
}

// Drops frames whose location or parent does not exist; the text counts parents from one too many.
void KeepValidFrames(const std::vector<StackFrames::Frame>& written, StackFrames* frames,
                     std::vector<int64_t>* frame_of_id) {
  const int64_t num_written = static_cast<int64_t>(written.size());
  const int64_t num_locations = static_cast<int64_t>(frames->locations.size());
  frame_of_id->assign(num_written + 1, 0);
  int64_t next = 0;
  for (int64_t id = 1; id <= num_written; ++id) {
    const StackFrames::Frame& frame = written[id - 1];
    const bool is_valid = frame.location >= 1 && frame.location <= num_locations &&
                          frame.parent >= 1 && frame.parent <= num_written + 1;
    if (is_valid) (*frame_of_id)[id] = ++next;
  }
  for (int64_t id = 1; id <= num_written; ++id) {
    if ((*frame_of_id)[id] == 0) continue;
    const StackFrames::Frame& frame = written[id - 1];
    frames->frames.push_back({frame.location, (*frame_of_id)[frame.parent - 1]});
  }
}

}  // namespace

bool ReadModuleHeader(Reader& reader, bool allow_unknown, ModuleHeader* header) {
  bool seen[std::size(kModuleAttributes)] = {};
  while (reader.Eat(TokenKind::kComma)) {
    const Token at = reader.token();
    if (at.kind != TokenKind::kAttribute) return reader.Fail("an attribute of the module");
    const auto attribute =
        std::find_if(std::begin(kModuleAttributes), std::end(kModuleAttributes),
                     [&](const ModuleAttribute& a) { return a.word == at.text; });
    if (attribute == std::end(kModuleAttributes)) {
      if (!allow_unknown) return reader.Fail("an attribute of the module");
      reader.Next();
      std::string dropped;
      if (!ReadUnknownValue(reader, &dropped)) return false;
      continue;
    }
    bool& is_seen = seen[attribute - std::begin(kModuleAttributes)];
    if (is_seen) return reader.FailAt(at, absl::StrCat("attribute ", at.text, " stands twice"));
    is_seen = true;
    reader.Next();
    if (!attribute->read(reader, header)) return false;
  }
  return true;
}

bool ReadStackFrames(Reader& reader, StackFrames* frames, std::vector<int64_t>* frame_of_id) {
  frame_of_id->assign(1, 0);
  if (!reader.EatKeyword("FileNames")) return true;
  std::vector<StackFrames::Frame> written;
  const auto expect = [&](absl::string_view title) {
    return reader.EatKeyword(title) || reader.Fail(title);
  };
  if (!ReadStrings(reader, &frames->files) || !expect("FunctionNames") ||
      !ReadStrings(reader, &frames->functions) || !expect("FileLocations") ||
      !ReadLocations(reader, &frames->locations) || !expect("StackFrames"))
    return false;
  static constexpr absl::string_view kKeys[] = {"file_location_id", "parent_frame_id"};
  std::vector<int64_t> v;
  while (reader.Eat(TokenKind::kInteger)) {
    if (!ReadNumbers(reader, kKeys, &v)) return false;
    written.push_back({v[0], v[1]});
  }
  KeepValidFrames(written, frames, frame_of_id);
  return true;
}

}  // namespace astitch::hlo_text
