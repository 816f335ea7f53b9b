// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The header is parsed by a small scanner for the three keys NumPy writes; the data is copied, with
// a transpose for Fortran order and a byte swap for big-endian files.
#include "tensor_io/npy.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "ir/number.h"
#include "tensor_io/layout.h"

namespace astitch {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";
// NumPy itself stops at 64 dimensions.
constexpr size_t kMaxRank = 64;

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("not a valid npy file: ", what));
}

uint32_t LittleEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

// Scans the dict. Python's grammar is far larger; NumPy writes only strings, True/False and tuples.
class HeaderScanner {
 public:
  explicit HeaderScanner(absl::string_view text) : text_(text) {}

  absl::Status Scan(NpyHeader& header) {
    if (!Eat('{')) return Bad("its header is not a dict");
    bool have_descr = false, have_order = false, have_shape = false;
    while (!Eat('}')) {
      ASTITCH_ASSIGN_OR_RETURN(const std::string key, String());
      if (!Eat(':')) return Bad(absl::StrCat("no ':' after ", key));
      if (key == "descr") {
        ASTITCH_ASSIGN_OR_RETURN(header.descr, String());
        have_descr = true;
      } else if (key == "fortran_order") {
        ASTITCH_ASSIGN_OR_RETURN(header.fortran_order, Bool());
        have_order = true;
      } else if (key == "shape") {
        ASTITCH_ASSIGN_OR_RETURN(header.dims, Tuple());
        have_shape = true;
      } else {
        return Bad(absl::StrCat("unknown header key '", key, "'"));
      }
      if (!Eat(',') && !Peek('}')) return Bad(absl::StrCat("no ',' after the value of ", key));
    }
    if (!have_descr || !have_order || !have_shape) {
      return Bad("its header lacks descr, fortran_order or shape");
    }
    SkipBlanks();
    return text_.empty() ? absl::OkStatus() : Bad("text after the header's dict");
  }

 private:
  void SkipBlanks() { text_ = absl::StripLeadingAsciiWhitespace(text_); }
  bool Peek(char c) {
    SkipBlanks();
    return !text_.empty() && text_[0] == c;
  }
  bool Eat(char c) {
    if (!Peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  absl::StatusOr<std::string> String() {
    SkipBlanks();
    if (Peek('[')) return Bad("structured arrays are not supported");
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return Bad("expected a string");
    const size_t end = text_.find(text_[0], 1);
    if (end == absl::string_view::npos) return Bad("unterminated string");
    const std::string out(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return out;
  }
  absl::StatusOr<bool> Bool() {
    SkipBlanks();
    for (const bool value : {true, false}) {
      const absl::string_view word = value ? "True" : "False";
      if (text_.substr(0, word.size()) != word) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    return Bad("fortran_order is neither True nor False");
  }
  absl::StatusOr<std::vector<int64_t>> Tuple() {
    if (!Eat('(')) return Bad("shape is not a tuple");
    std::vector<int64_t> dims;
    while (!Eat(')')) {
      SkipBlanks();
      const size_t end = std::min(text_.find_first_not_of("0123456789"), text_.size());
      int64_t dim = 0;
      if (end == 0 || !absl::SimpleAtoi(text_.substr(0, end), &dim)) {
        return Bad("a dimension is not a whole number below 2^63");
      }
      text_.remove_prefix(end);
      Eat('L');  // Python 2 wrote 3L
      dims.push_back(dim);
      if (dims.size() > kMaxRank) return Bad("more than 64 dimensions");
      if (!Eat(',') && !Peek(')')) return Bad("no ',' between dimensions");
    }
    return dims;
  }

  absl::string_view text_;
};

// Fills type, raw_bits and big_endian from descr.
absl::Status InterpretDescr(NpyHeader& header) {
  absl::string_view descr = header.descr;
  const absl::Status unsupported =
      absl::InvalidArgumentError(absl::StrCat("npy type '", header.descr, "' is not supported"));
  if (descr.size() < 2) return unsupported;
  if (absl::string_view("<>|=").find(descr[0]) != absl::string_view::npos) {
    header.big_endian = descr[0] == '>';
    descr.remove_prefix(1);
  }
  struct Row {
    absl::string_view word;
    ElementType type;
  };
  static constexpr Row kRows[] = {
      {"b1", ElementType::kPred}, {"?", ElementType::kPred}, {"i1", ElementType::kS8},
      {"i2", ElementType::kS16},  {"i4", ElementType::kS32}, {"i8", ElementType::kS64},
      {"u1", ElementType::kU8},   {"u2", ElementType::kU16}, {"u4", ElementType::kU32},
      {"u8", ElementType::kU64},  {"f2", ElementType::kF16}, {"f4", ElementType::kF32},
      {"f8", ElementType::kF64},  {"c8", ElementType::kC64}, {"c16", ElementType::kC128},
      {"V1", ElementType::kU8},   {"V2", ElementType::kU16},
  };
  for (const Row& row : kRows) {
    if (row.word != descr) continue;
    header.type = row.type;
    header.raw_bits = descr[0] == 'V';
    return absl::OkStatus();
  }
  return unsupported;
}

// The part of an element that a byte swap turns round: complex numbers are two parts.
int SwapWidth(ElementType type) { return IsComplex(type) ? ByteWidth(type) / 2 : ByteWidth(type); }

// How the file's type may be read as TYPE: as itself, or as the bits of a type NumPy lacks.
bool MayReadAs(const NpyHeader& header, ElementType type) {
  if (header.type == type) return !header.raw_bits;
  if (ByteWidth(header.type) != ByteWidth(type)) return false;
  if (IsFloat(type)) {
    const bool unknown_to_numpy =
        type != ElementType::kF16 && type != ElementType::kF32 && type != ElementType::kF64;
    return IsUnsigned(header.type) && (unknown_to_numpy || header.raw_bits);
  }
  if (header.raw_bits) return BitWidth(type) < 8;
  if (BitWidth(type) >= 8) return false;  // the narrow integers and pred: a byte each
  return header.type == ElementType::kU8 || header.type == ElementType::kS8;
}

absl::Status CheckNarrowRange(const Literal& value) {
  const ElementType type = value.shape().element_type();
  if (BitWidth(type) >= 8 || IsFloat(type)) return absl::OkStatus();
  for (const std::byte b : value.bytes()) {
    const int64_t stored = IsSigned(type) ? static_cast<int8_t>(b) : static_cast<uint8_t>(b);
    if (WrapInteger(type, stored) != stored) {
      return absl::InvalidArgumentError(
          absl::StrCat("npy value ", stored, " is out of range for ", ToString(type)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> DecodeData(absl::string_view file, const NpyHeader& header,
                                   ElementType type) {
  const Shape shape = Shape::Array(type, header.dims);
  const absl::StatusOr<int64_t> wanted = shape.CheckedByteSize();
  if (!wanted.ok()) return Bad("its shape is too large");
  const absl::string_view data = file.substr(header.data_offset);
  if (static_cast<int64_t>(data.size()) != *wanted) {
    return Bad(absl::StrCat("its shape (", absl::StrJoin(header.dims, ", "), ") of '", header.descr,
                            "' takes ", *wanted, " bytes, the file holds ", data.size()));
  }
  std::vector<std::byte> bytes(data.size());
  if (!data.empty()) std::memcpy(bytes.data(), data.data(), data.size());
  if (header.big_endian) {
    const size_t width = SwapWidth(type);
    for (size_t i = 0; i + width <= bytes.size(); i += width) {
      std::reverse(bytes.begin() + i, bytes.begin() + i + width);
    }
  }
  if (!header.fortran_order) return Literal(shape, std::move(bytes));
  Layout column_major;
  for (size_t i = 0; i < header.dims.size(); ++i) column_major.minor_to_major.push_back(i);
  return FromPhysical(Shape::Array(type, header.dims, column_major), bytes);
}

absl::string_view DescrOf(ElementType type) {
  switch (KindOf(type)) {
    case TypeKind::kPred:
      return "|b1";
    case TypeKind::kSigned:
      return ByteWidth(type) == 1   ? "|i1"
             : ByteWidth(type) == 2 ? "<i2"
             : ByteWidth(type) == 4 ? "<i4"
                                    : "<i8";
    case TypeKind::kUnsigned:
      return ByteWidth(type) == 1   ? "|u1"
             : ByteWidth(type) == 2 ? "<u2"
             : ByteWidth(type) == 4 ? "<u4"
                                    : "<u8";
    case TypeKind::kFloat:
      if (type == ElementType::kBF16) return "<u2";
      return ByteWidth(type) == 1   ? "|u1"
             : ByteWidth(type) == 2 ? "<f2"
             : ByteWidth(type) == 4 ? "<f4"
                                    : "<f8";
    case TypeKind::kComplex:
      return ByteWidth(type) == 8 ? "<c8" : "<c16";
  }
  ASTITCH_UNREACHABLE();
}

}  // namespace

absl::StatusOr<NpyHeader> ReadNpyHeader(absl::string_view file) {
  if (file.substr(0, kMagic.size()) != kMagic) return Bad("it does not begin with \\x93NUMPY");
  if (file.size() < kMagic.size() + 2) return Bad("it ends inside the header");
  const int major = static_cast<uint8_t>(file[kMagic.size()]);
  if (major < 1 || major > 3) return Bad(absl::StrCat("version ", major, ", expected 1 to 3"));
  const size_t length_bytes = major == 1 ? 2 : 4;
  const size_t length_at = kMagic.size() + 2;
  if (file.size() < length_at + length_bytes) return Bad("it ends inside the header");
  const size_t length = LittleEndian(file.substr(length_at, length_bytes));
  NpyHeader header;
  header.data_offset = length_at + length_bytes + length;
  if (header.data_offset > file.size()) return Bad("it ends inside the header");
  HeaderScanner scanner(file.substr(length_at + length_bytes, length));
  ASTITCH_RETURN_IF_ERROR(scanner.Scan(header));
  ASTITCH_RETURN_IF_ERROR(InterpretDescr(header));
  return header;
}

absl::StatusOr<Literal> DecodeNpy(absl::string_view file) {
  ASTITCH_ASSIGN_OR_RETURN(const NpyHeader header, ReadNpyHeader(file));
  return DecodeData(file, header, header.type);
}

absl::StatusOr<Literal> DecodeNpyAs(absl::string_view file, const Shape& wanted) {
  ASTITCH_ASSIGN_OR_RETURN(const NpyHeader header, ReadNpyHeader(file));
  const ElementType type = wanted.element_type();
  if (!MayReadAs(header, type) || header.dims != wanted.dims()) {
    const Shape got = Shape::Array(header.type, header.dims);
    return absl::InvalidArgumentError(absl::StrCat("expected ", wanted.ToString(false), ", got ",
                                                   got.ToString(false), " (npy type '",
                                                   header.descr, "')"));
  }
  ASTITCH_ASSIGN_OR_RETURN(Literal value, DecodeData(file, header, type));
  ASTITCH_RETURN_IF_ERROR(CheckNarrowRange(value));
  return value;
}

std::string EncodeNpy(const Literal& value) {
  const Shape& shape = value.shape();
  std::string dims = absl::StrJoin(shape.dims(), ", ");
  if (shape.rank() == 1) dims += ",";
  std::string dict = absl::StrCat("{'descr': '", DescrOf(shape.element_type()),
                                  "', 'fortran_order': False, 'shape': (", dims, "), }");
  // The data begins at a multiple of 64, for those who map the file.
  constexpr size_t kFixed = 10, kAlignment = 64;
  dict.append((kAlignment - (kFixed + dict.size() + 1) % kAlignment) % kAlignment, ' ');
  dict.push_back('\n');
  std::string out(kMagic);
  out.append({'\x01', '\x00', static_cast<char>(dict.size() & 0xff),
              static_cast<char>(dict.size() >> 8 & 0xff)});
  out += dict;
  const absl::Span<const std::byte> bytes = value.bytes();
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return out;
}

}  // namespace astitch
