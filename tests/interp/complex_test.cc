// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Complex numbers, one instruction a row. Values that are not exact are those of 60-digit
// arithmetic, rounded.
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

// One operation on a row of c64 numbers.
struct UnaryRow {
  const char* op;
  const char* operand;
  const char* value;
};

template <size_t kRows>
void ExpectUnary(const UnaryRow (&rows)[kRows]) {
  for (const UnaryRow& row : rows) {
    const std::string text =
        absl::StrCat("c64[1] ", row.op, "(c64[1] constant({", row.operand, "}))");
    EXPECT_EQ(RunOne(text), absl::StrCat("{", row.value, "}")) << text;
  }
}

// c64 by c64, a row an operand each.
struct BinaryRow {
  const char* op;
  const char *a, *b;
  const char* value;
};

template <size_t kRows>
void ExpectBinary(const BinaryRow (&rows)[kRows]) {
  for (const BinaryRow& row : rows) {
    const std::string text = absl::StrCat("c64[1] ", row.op, "(c64[1] constant({", row.a,
                                          "}), c64[1] constant({", row.b, "}))");
    EXPECT_EQ(RunOne(text), absl::StrCat("{", row.value, "}")) << text;
  }
}

TEST(Complex, SumsAndProductsGoByParts) {
  ExpectBinary({
      {"add", "(1, 2)", "(3, -5)", "(4, -3)"},
      {"subtract", "(1, 2)", "(3, -5)", "(-2, 7)"},
      {"multiply", "(1, 2)", "(3, 4)", "(-5, 10)"},
      {"multiply", "(inf, inf)", "(1, 1)", "(nan, inf)"},  // no infinity is brought back
      {"multiply", "(inf, nan)", "(1, 0)", "(nan, nan)"},
      {"multiply", "(4097, 1)", "(4097, 1)", "(16785408, 8194)"},
  });
  ExpectUnary({
      {"negate", "(0, -0)", "(-0, 0)"},
      {"negate", "(nan, 2)", "(nan, -2)"},
  });
  ExpectAll({
      {"c128[1] multiply(c128[1] constant({(3, 4)}), c128[1] constant({(3, -4)}))", "{(25, 0)}"},
      {"c128[1] subtract(c128[1] constant({(1e308, 1)}), c128[1] constant({(-1e308, 1e-20)}))",
       "{(inf, 1)}"},
  });
}

TEST(Complex, QuotientsAreThoseOfAnnexG) {
  ExpectBinary({
      {"divide", "(1, 2)", "(3, 4)", "(0.44, 0.08)"},
      {"divide", "(1, 0)", "(0, 0)", "(inf, nan)"},
      {"divide", "(1, 1)", "(0, 0)", "(inf, inf)"},
      {"divide", "(-1, 1)", "(-0, 0)", "(inf, -inf)"},
      {"divide", "(0, 0)", "(0, 0)", "(nan, nan)"},
      {"divide", "(nan, 0)", "(0, 0)", "(nan, nan)"},
      {"divide", "(inf, 1)", "(1, 1)", "(inf, -inf)"},
      {"divide", "(inf, nan)", "(2, 0)", "(inf, nan)"},
      {"divide", "(1, 1)", "(inf, inf)", "(0, 0)"},
      {"divide", "(1, 1)", "(-inf, nan)", "(-0, -0)"},
      {"divide", "(1e38, 1e38)", "(1e38, 1e38)", "(1, 0)"},
      {"divide", "(1e-42, 0)", "(0, 1e-42)", "(0, -1)"},
  });
  ExpectAll({
      {"c128[3] divide(c128[3] constant({(1e308, 1e308), (1.5e308, 1.5e308), (4e-324, 4e-324)}), "
       "c128[3] constant({(1e308, 1e308), (1, 1), (0, 4e-324)}))",
       "{(1, 0), (1.5e+308, 0), (1, -1)}"},
  });
}

TEST(Complex, AbsIsRealAndNeitherOverflowsNorHidesInfinities) {
  ExpectAll({
      {"f32[6] abs(c64[6] constant({(3, 4), (-0, 0), (inf, nan), (nan, -inf), (nan, 1), (-5, 0)}))",
       "{5, 0, inf, inf, nan, 5}"},
      {"f64[2] abs(c128[2] constant({(1.2e308, 5e307), (3e-320, 4e-320)}))",
       "{1.2999999999999999e+308, 4.99994433591342e-320}"},
  });
}

TEST(Complex, PartsComeApartAndTogether) {
  ExpectAll({
      {"f32[2] real(c64[2] constant({(1, 2), (-0, nan)}))", "{1, -0}"},
      {"f64[2] imag(c128[2] constant({(1, 2), (nan, -0)}))", "{2, -0}"},
      {"f32[2] real(f32[2] constant({-3, nan}))", "{-3, nan}"},
      {"f32[2] imag(f32[2] constant({-3, nan}))", "{0, 0}"},
      {"c64[2] complex(f32[2] constant({1, nan}), f32[2] constant({-0, inf}))",
       "{(1, -0), (nan, inf)}"},
      {"c128[1] complex(f64[1] constant({0.1}), f64[1] constant({-0.2}))", "{(0.1, -0.2)}"},
  });
}

TEST(Complex, SignIsADirection) {
  ExpectUnary({
      {"sign", "(3, -4)", "(0.6, -0.8)"},
      {"sign", "(0, -0)", "(0, -0)"},
      {"sign", "(-2, -0)", "(-1, -0)"},
      {"sign", "(nan, 0)", "(nan, nan)"},
      {"sign", "(1e-45, 0)", "(1, 0)"},
  });
}

TEST(Complex, EqualityIsOfBothParts) {
  ExpectAll({
      {"pred[4] compare(c64[4] constant({(1, 2), (1, 2), (0, -0), (nan, 0)}), c64[4] "
       "constant({(1, 2), (1, 3), (-0, 0), (nan, 0)})), direction=EQ",
       "{1, 0, 1, 0}"},
      {"pred[4] compare(c128[4] constant({(1, 2), (1, 2), (0, -0), (nan, 0)}), c128[4] "
       "constant({(1, 2), (2, 2), (-0, 0), (nan, 0)})), direction=NE",
       "{0, 1, 0, 1}"},
  });
}

TEST(Complex, SelectKeepsTheBitsOfNan) {
  ExpectAll(
      {
          {"c64[2] select(pred[2] constant({1, 0}), c64[2] constant({(nan(0x1), 2), (3, "
           "4)}), "
           "c64[2] constant({(5, 6), (7, -nan(0x123))}))",
           "{(nan(0x1), 2), (7, -nan(0x123))}"},
          {"c128[2] select(pred[2] constant({0, 1}), c128[2] constant({(1, 2), (3, "
           "-nan(0x1))}), c128[2] constant({(nan(0x2), 6), (7, 8)}))",
           "{(nan(0x2), 6), (3, -nan(0x1))}"},
      },
      /*keep_nan=*/true);
}

TEST(Complex, ConversionsRoundEachPartOnce) {
  ExpectAll({
      {"c64[3] convert(s32[3] constant({-1, 16777217, 7}))", "{(-1, 0), (16777216, 0), (7, 0)}"},
      {"c64[1] convert(u64[1] constant({18446744073709551615}))", "{(1.84467441e+19, 0)}"},
      {"c128[2] convert(pred[2] constant({1, 0}))", "{(1, 0), (0, 0)}"},
      {"c128[1] convert(s64[1] constant({-9007199254740993}))", "{(-9007199254740992, 0)}"},
      {"c64[3] convert(f64[3] constant({0.1, -0, nan}))", "{(0.1, 0), (-0, 0), (nan, 0)}"},
      {"c128[1] convert(c64[1] constant({(0.1, -2)}))", "{(0.10000000149011612, -2)}"},
      {"c64[1] convert(c128[1] constant({(0.1, 1e300)}))", "{(0.1, inf)}"},
      {"c64[2] iota(), iota_dimension=0", "{(0, 0), (1, 0)}"},
      {"c128[2,2] iota(), iota_dimension=1", "{ { (0, 0), (1, 0) }, { (0, 0), (1, 0) } }"},
  });
}

TEST(Complex, ExponentialsAndTheirInfinities) {
  ExpectUnary({
      {"exponential", "(1, 1)", "(1.46869397, 2.28735518)"},
      {"exponential", "(0, 3.14159274)", "(-1, -8.74227766e-08)"},
      {"exponential", "(0, -0)", "(1, -0)"},
      {"exponential", "(inf, 0)", "(inf, 0)"},
      {"exponential", "(-inf, 1)", "(0, 0)"},
      {"exponential", "(-inf, inf)", "(0, 0)"},
      {"exponential", "(1, inf)", "(nan, nan)"},
      {"exponential", "(nan, 0)", "(nan, 0)"},
      {"exponential", "(89, 1)", "(2.4257482e+38, inf)"},
      {"exponential", "(800, 2)", "(-inf, inf)"},
      {"exponential-minus-one", "(1, 1)", "(0.468693942, 2.28735518)"},
      {"exponential-minus-one", "(1e-10, 0)", "(1e-10, 0)"},
      {"exponential-minus-one", "(0, 1e-05)", "(-4.99999972e-11, 1e-05)"},
      {"exponential-minus-one", "(-inf, 0)", "(-1, 0)"},
      {"exponential-minus-one", "(-0, -0)", "(-0, -0)"},
      {"logistic", "(0, 0)", "(0.5, 0)"},
      {"logistic", "(1, 1)", "(0.78204155, 0.201948225)"},
      {"logistic", "(-80, 1)", "(9.75165332e-36, 1.51873009e-35)"},
      {"logistic", "(-1000, 1)", "(0, 0)"},
      {"logistic", "(1000, 1)", "(1, 0)"},
      {"logistic", "(inf, 0)", "(1, 0)"},
      {"logistic", "(0, 3.14159274)", "(0.5, -11438666)"},
  });
  ExpectAll({
      {"c128[2] logistic(c128[2] constant({(-700, 0), (0, 3.141592653589793)}))",
       "{(9.85967654375977e-305, 0), (0.5, 8165619676597685)}"},
      {"c128[2] exponential-minus-one(c128[2] constant({(1e-20, 1e-15), (0.5, 1)}))",
       "{(9.9999999995e-21, 1e-15), (-0.10919209570687138, 1.3873511113297634)}"},
  });
}

TEST(Complex, LogarithmsAndRootsAreCutAlongTheNegativeAxis) {
  ExpectUnary({
      {"log", "(-1, 0)", "(0, 3.14159274)"},
      {"log", "(-1, -0)", "(0, -3.14159274)"},
      {"log", "(3, 4)", "(1.60943794, 0.927295208)"},
      {"log", "(0, 0)", "(-inf, 0)"},
      {"log", "(-0, 0)", "(-inf, 3.14159274)"},
      {"log", "(1, 1e-20)", "(4.99997e-41, 1e-20)"},
      {"log", "(-inf, inf)", "(inf, 2.3561945)"},
      {"log-plus-one", "(1e-10, 1e-12)", "(1e-10, 1e-12)"},
      {"log-plus-one", "(-1e-12, 1e-06)", "(-5e-13, 1e-06)"},
      {"log-plus-one", "(-5e-13, 1e-06)", "(-5.26730883e-22, 1e-06)"},
      {"log-plus-one", "(-1, 0)", "(-inf, 0)"},
      {"log-plus-one", "(-2, 0)", "(0, 3.14159274)"},
      {"log-plus-one", "(-2, -0)", "(0, -3.14159274)"},
      {"log-plus-one", "(0, -0)", "(0, -0)"},
      {"log-plus-one", "(1e20, 1e20)", "(46.3982773, 0.785398185)"},
      {"sqrt", "(3, 4)", "(2, 1)"},
      {"sqrt", "(-4, 0)", "(0, 2)"},
      {"sqrt", "(-4, -0)", "(0, -2)"},
      {"sqrt", "(-0, -0)", "(0, -0)"},
      {"sqrt", "(1, inf)", "(inf, inf)"},
      {"rsqrt", "(3, 4)", "(0.4, -0.2)"},
      {"rsqrt", "(-4, 0)", "(0, -0.5)"},
      {"rsqrt", "(0, 0)", "(inf, nan)"},
      {"rsqrt", "(inf, 0)", "(0, 0)"},
  });
  ExpectAll({
      {"c128[2] log(c128[2] constant({(1, 1e-200), (-3, -0)}))",
       "{(0, 1e-200), (1.0986122886681098, -3.1415926535897931)}"},
      {"c128[1] log-plus-one(c128[1] constant({(-1, -1e-08)}))",
       "{(-18.420680743952367, -1.5707963267948966)}"},
      {"c128[2] log-plus-one(c128[2] constant({(-5e-17, 1e-08), (1e-300, 0)}))",
       "{(4.3873667468111174e-33, 1e-08), (1e-300, 0)}"},
  });
}

TEST(Complex, TrigonometryAndHyperbolics) {
  ExpectUnary({
      {"sine", "(1, 1)", "(1.29845762, 0.63496393)"},
      {"cosine", "(1, 1)", "(0.833730042, -0.988897681)"},
      {"tan", "(1, 1)", "(0.271752596, 1.08392334)"},
      {"sinh", "(1, 1)", "(0.63496393, 1.29845762)"},
      {"cosh", "(1, 1)", "(0.833730042, 0.988897681)"},
      {"tanh", "(1, 1)", "(1.08392334, 0.271752596)"},
      {"sine", "(0, -0)", "(0, -0)"},
      {"cosine", "(0, 0)", "(1, -0)"},
      {"tan", "(1, 1000)", "(0, 1)"},
      {"tanh", "(1000, 1)", "(1, 0)"},
      {"tanh", "(-1000, 1)", "(-1, 0)"},
      {"tanh", "(-0, 0)", "(-0, 0)"},
      {"sinh", "(inf, 0)", "(inf, 0)"},
      {"cosh", "(-inf, 0)", "(inf, -0)"},
  });
}

TEST(Complex, InverseFunctionsTakeTheSideOfTheZerosSign) {
  ExpectUnary({
      {"acos", "(2, 0)", "(0, -1.31695795)"},
      {"acos", "(2, -0)", "(0, 1.31695795)"},
      {"acos", "(1, 1)", "(0.90455687, -1.06127501)"},
      {"asin", "(2, 0)", "(1.57079637, 1.31695795)"},
      {"asin", "(2, -0)", "(1.57079637, -1.31695795)"},
      {"asin", "(-1, 1)", "(-0.66623944, 1.06127501)"},
      {"atan", "(0, 2)", "(1.57079637, 0.549306154)"},
      {"atan", "(-0, 2)", "(-1.57079637, 0.549306154)"},
      {"atan", "(1, 1)", "(1.01722193, 0.402359486)"},
      {"acosh", "(-2, 0)", "(1.31695795, 3.14159274)"},
      {"acosh", "(0.5, -0)", "(0, -1.04719758)"},
      {"asinh", "(0, 2)", "(1.31695795, 1.57079637)"},
      {"asinh", "(-0, 2)", "(-1.31695795, 1.57079637)"},
      {"atanh", "(2, 0)", "(0.549306154, 1.57079637)"},
      {"atanh", "(2, -0)", "(0.549306154, -1.57079637)"},
      {"atanh", "(1, 0)", "(inf, 0)"},
      {"atanh", "(1e-20, 1e-20)", "(1e-20, 1e-20)"},
  });
  ExpectAll({
      {"c128[2] asin(c128[2] constant({(2, 0), (1e-200, -1)}))",
       "{(1.5707963267948966, 1.3169578969248168), (7.0710678118654749e-201, -0.881373587019543)}"},
  });
}

TEST(Complex, PowersOfZeroAndOfOthers) {
  ExpectBinary({
      {"power", "(0, 0)", "(0, 0)", "(1, 0)"},
      {"power", "(-0, 0)", "(2, 1)", "(0, 0)"},
      {"power", "(0, 0)", "(-1, 0)", "(nan, nan)"},
      {"power", "(0, 0)", "(0, 1)", "(nan, nan)"},
      {"power", "(2, 0)", "(3, 0)", "(8, 0)"},
      {"power", "(3, -7)", "(0, 0)", "(1, 0)"},
      {"power", "(1, 1)", "(1, 1)", "(0.273957253, 0.583700776)"},
      {"power", "(-1, 0)", "(0.25, 0)", "(0.707106769, 0.707106769)"},
      {"power", "(-1, -0)", "(0.25, 0)", "(0.707106769, -0.707106769)"},
      {"atan2", "(1, 2)", "(3, 4)", "(0.416490644, 0.067066)"},
      {"atan2", "(1, 1)", "(-2, 0.5)", "(2.67794514, -0.549306154)"},
      {"atan2", "(-1, 1)", "(-2, 0.5)", "(-2.56762147, -0.261492133)"},
      {"atan2", "(0, 0)", "(0, 0)", "(nan, nan)"},
  });
}

// What shape inference admits must have a value.
TEST(Complex, EveryAdmittedOperationHasAKernel) {
  int evaluated = 0;
  const auto try_one = [&](absl::string_view op, int64_t arity) {
    for (const char* result : {"c64", "f32"}) {
      constexpr char kOperand[] = "c64[1] constant({(1, 2)})";
      const std::string operands =
          arity == 1 ? std::string(kOperand) : absl::StrCat(kOperand, ", ", kOperand);
      const std::string text =
          absl::StrCat("ENTRY e {\n  ROOT r = ", result, "[1] ", op, "(", operands, ")\n}\n");
      const absl::StatusOr<std::unique_ptr<Graph>> graph = ParseHloText(text);
      if (!graph.ok() || !VerifyGraph(**graph).ok()) continue;
      const absl::StatusOr<Literal> value = Evaluate(**graph, {});
      EXPECT_TRUE(value.ok()) << value.status();
      ++evaluated;
    }
  };
#define ASTITCH_X(enumerator, word, arity, kind)                            \
  if (OpKind::kind == OpKind::kElementwise && (arity == 1 || arity == 2)) { \
    try_one(word, arity);                                                   \
  }
  ASTITCH_OPCODES(ASTITCH_X)
#undef ASTITCH_X
  EXPECT_EQ(evaluated, 33);
}

TEST(Complex, OperationsWithoutAMeaningAreRefused) {
  EXPECT_EQ(RunOne("(c64[1], s32[1]) topk(c64[2] constant({(1, 2), (3, 4)})), k=1, largest=true"),
            "2:8: expected elements with an order for topk, got c64[2] in topk instruction %r");
  EXPECT_EQ(RunOne("c64[2] rng(c64[] constant((0, 0)), c64[] constant((1, 1))), "
                   "distribution=rng_uniform"),
            "2:8: expected real numbers from rng, got c64[2] in rng instruction %r");
}

}  // namespace
}  // namespace astitch
