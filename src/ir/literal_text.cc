// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Numbers through std::to_chars, which is %g without a locale; arrays by one walk over the
// dimensions.
#include "ir/literal_text.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "ir/number.h"

namespace astitch {
namespace {

constexpr int64_t kMostElementsPrinted = 10;  // of a constant, when large ones are elided

std::string General(double value, int digits) {
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, digits).ptr;
  return std::string(buffer, end);
}

// Digits that tell every value of the type from its neighbours; f32 and f64 first try fewer.
int DigitsOf(ElementType type) {
  switch (FormatOf(type).mantissa_bits) {
    case 0:
    case 1:
    case 2:
      return 2;
    case 3:
    case 4:
      return 3;
    case 7:
      return 4;
    case 10:
      return 5;
    case 23:
      return 9;
    default:
      return 17;
  }
}

int FewerDigitsOf(ElementType type) { return type == ElementType::kF32 ? 6 : 15; }

bool ReadsBack(ElementType type, const std::string& text, uint64_t bits) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return EncodeFloat(type, value) == bits;
}

std::string NanText(ElementType type, uint64_t bits) {
  const FloatFormat format = FormatOf(type);
  if (format.specials == FloatFormat::Specials::kExponentOnly) return "nan";
  const bool negative = (bits >> (BitWidth(type) - 1)) & 1;
  const char* const word = negative ? "-nan" : "nan";
  if (format.specials != FloatFormat::Specials::kIeee) return word;
  const uint64_t payload = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  if (payload == uint64_t{1} << (format.mantissa_bits - 1)) return word;
  return absl::StrCat(word, "(0x", absl::Hex(payload), ")");
}

std::string FloatBitsText(ElementType type, uint64_t bits, bool decimal_negative_zero = false) {
  const double value = DecodeFloat(type, bits);
  if (value == 0 && std::signbit(value)) return decimal_negative_zero ? "-0.0" : "-0";
  if (std::isnan(value)) return NanText(type, bits);
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (type == ElementType::kF32 || type == ElementType::kF64) {
    std::string text = General(value, FewerDigitsOf(type));
    if (ReadsBack(type, text, bits)) return text;
  }
  return General(value, DigitsOf(type));
}

// Walks one array; the position in the bytes moves on with each element.
class ArrayWriter {
 public:
  ArrayWriter(const Literal& literal, bool decimal_negative_zero, std::string* out)
      : dims_(literal.shape().dims()),
        type_(literal.shape().element_type()),
        width_(ByteWidth(type_)),
        decimal_negative_zero_(decimal_negative_zero),
        at_(literal.bytes().data()),
        out_(*out) {}

  void Write(size_t level, int64_t index) {
    if (level + 1 == dims_.size()) return WriteInnermost();
    out_ += "{ ";
    if (dims_.size() > 3 && level > 0) {
      absl::StrAppend(&out_, "/*i", level - 1, "=", index, "*/", dims_[level] > 0 ? " " : "");
    }
    for (int64_t i = 0; i < dims_[level]; ++i) {
      if (i > 0) out_ += ", ";
      Write(level + 1, i);
    }
    out_ += " }";
  }

 private:
  void WriteInnermost() {
    const int64_t size = dims_.back();
    const bool blanks = dims_.size() > 1 && size > 1;
    out_ += blanks ? "{ " : "{";
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) out_ += ", ";
      AppendElementText(type_, at_, &out_, decimal_negative_zero_);
      at_ += width_;
    }
    out_ += blanks ? " }" : "}";
  }

  const std::vector<int64_t>& dims_;
  const ElementType type_;
  const int width_;
  const bool decimal_negative_zero_;
  const std::byte* at_;
  std::string& out_;
};

}  // namespace

void AppendElementText(ElementType type, const std::byte* at, std::string* out,
                       bool decimal_negative_zero) {
  switch (KindOf(type)) {
    case TypeKind::kPred:
    case TypeKind::kSigned:
      absl::StrAppend(out, LoadAsInteger(type, at));
      return;
    case TypeKind::kUnsigned:
      absl::StrAppend(out, static_cast<uint64_t>(LoadAsInteger(type, at)));
      return;
    case TypeKind::kFloat:
      out->append(FloatBitsText(type, LoadBits(type, at), decimal_negative_zero));
      return;
    case TypeKind::kComplex: {
      const ElementType part = PartType(type);
      absl::StrAppend(
          out, "(", FloatBitsText(part, LoadBits(part, at), decimal_negative_zero), ", ",
          FloatBitsText(part, LoadBits(part, at + ByteWidth(part)), decimal_negative_zero), ")");
      return;
    }
  }
}

std::string FloatText(float value) {
  return FloatBitsText(ElementType::kF32, EncodeFloat(ElementType::kF32, value));
}

void AppendLiteralText(const Literal& literal, const LiteralTextOptions& options,
                       std::string* out) {
  const Shape& shape = literal.shape();
  if (literal.is_elided()) {
    *out += "{...}";
  } else if (shape.IsTuple()) {
    if (!options.large_constants) {
      *out += "{...}";
      return;
    }
    *out += "( ";
    for (size_t i = 0; i < literal.elements().size(); ++i) {
      if (i > 0) *out += ", ";
      AppendLiteralText(literal.elements()[i], options, out);
    }
    *out += " )";
  } else if (!shape.IsArray()) {
    *out += "{...}";
  } else if (shape.rank() == 0) {
    if (IsPred(shape.element_type())) {
      *out += literal.bytes()[0] != std::byte{0} ? "true" : "false";
    } else {
      AppendElementText(shape.element_type(), literal.bytes().data(), out,
                        options.decimal_negative_zero);
    }
  } else if (!options.large_constants && shape.num_elements() > kMostElementsPrinted) {
    *out += "{...}";
  } else {
    ArrayWriter(literal, options.decimal_negative_zero, out).Write(0, 0);
  }
}

std::string LiteralText(const Literal& literal, const LiteralTextOptions& options) {
  std::string out;
  AppendLiteralText(literal, options, &out);
  return out;
}

}  // namespace astitch
