// pointwise.cpp: operators on single elements.
#include <cmath>
#include <cstdlib>

#include "call.hpp"

namespace broch::onnx {
namespace {

using runtime::is_floating;

// Functions of one argument that have the same name in ONNX. Integers become floating-point
// numbers where the result is one.
std::string one(Call& c, const char* op) { return c.b.add(op, {c.x(0, c.result().dtype)}); }
#define SAME(name, op)                                  \
  {                                                     \
    name, [](Call& c) -> Names { return {one(c, op)}; } \
  }

std::string constant(Call& c, double value) { return c.b.scalar(value, c.result().dtype); }

// Of two arguments in the dtype of the result; which is bool for comparisons.
std::string two(Call& c, const char* op, const std::string& second = "") {
  const broch_dtype result = c.result().dtype;
  return c.b.add(op, {c.x(0, result), second.empty() ? c.x(1, result) : second});
}
#define TWO(name, op)                                   \
  {                                                     \
    name, [](Call& c) -> Names { return {two(c, op)}; } \
  }

// A bool as the dtype of the result, which is another one where a tensor is written to.
std::string truth(Call& c, const std::string& bools) {
  return c.b.cast(bools, BROCH_BOOL, c.result().dtype);
}
Names comparison(Call& c, const char* op, bool negate) {
  broch_dtype dtype = common_dtype(c, 0, 1);
  if (dtype == BROCH_BOOL && std::string_view(op) != "Equal") dtype = BROCH_INT64;
  const std::string result = c.b.add(op, {c.x(0, dtype), c.x(1, dtype)});
  return {truth(c, negate ? c.b.add("Not", {result}) : result)};
}
#define COMPARE(name, op, negate)                                    \
  {                                                                  \
    name, [](Call& c) -> Names { return comparison(c, op, negate); } \
  }

Names logical(Call& c, const char* op) {
  return {truth(c, c.b.add(op, {c.x(0, BROCH_BOOL), c.x(1, BROCH_BOOL)}))};
}
Names bitwise(Call& c, const char* on_bools, const char* on_integers) {
  if (c.result().dtype == BROCH_BOOL) return logical(c, on_bools);
  return {two(c, on_integers)};
}

// The argument alpha, which multiplies the second summand.
Names scaled_sum(Call& c, const char* op) {
  const broch_dtype dtype = c.result().dtype;
  const double alpha = c.scalar(2, 1);
  if (dtype == BROCH_BOOL) return logical(c, "Or");
  std::string second = c.x(1, dtype);
  if (alpha != 1) second = c.b.add("Mul", {second, constant(c, alpha)});
  return {c.b.add(op, {c.x(0, dtype), second})};
}

// Integers are whole; ONNX rounds floating-point numbers alone.
std::string whole(Call& c, const char* op) {
  return is_floating(c.result().dtype) ? one(c, op) : c.x(0, c.result().dtype);
}
std::string truncated(Call& c, const std::string& x) {
  return c.b.add("Mul", {c.b.add("Sign", {x}), c.b.add("Floor", {c.b.add("Abs", {x})})});
}
// What is left of x when y is taken away as often as it fits, and whether y has another sign.
struct Rest {
  std::string value, has_other_sign;
};
Rest rest_of(Call& c, const std::string& x, const std::string& y) {
  const std::string rest = c.b.add("Mod", {x, y}, {attribute("fmod", 1)}), zero = constant(c, 0);
  const std::string differs =
      c.b.add("Xor", {c.b.add("Less", {rest, zero}), c.b.add("Less", {y, zero})});
  const std::string is_none = c.b.add("Equal", {rest, zero});
  return {rest, c.b.add("And", {differs, c.b.add("Not", {is_none})})};
}
// Not the floor of x / y, which is rounded: of 1 and 0.1 it is 10, but 0.1 is a bit more than a
// tenth, so that it fits 9 times.
std::string floor_quotient(Call& c, const std::string& x, const std::string& y) {
  const Rest rest = rest_of(c, x, y);
  const std::string unit = constant(c, 1), quotient = c.b.add("Div", {x, y});
  std::string times = c.b.add("Div", {c.b.add("Sub", {x, rest.value}), y});
  times = c.b.add("Where", {rest.has_other_sign, c.b.add("Sub", {times, unit}), times});
  // It is whole but for its own rounding.
  const std::string below = c.b.add("Floor", {times});
  const std::string is_next =
      c.b.add("Greater", {c.b.add("Sub", {times, below}), constant(c, 0.5)});
  const std::string nearest = c.b.add("Where", {is_next, c.b.add("Add", {below, unit}), below});
  return c.b.add("Where", {c.b.add("Equal", {y, constant(c, 0)}), quotient, nearest});
}
// Integers are divided as float64, which is exact up to 2^53.
Names rounded_quotient(Call& c, bool floor) {
  const broch_dtype dtype = c.result().dtype;
  if (floor && is_floating(dtype)) return {floor_quotient(c, c.x(0, dtype), c.x(1, dtype))};
  const broch_dtype wide = is_floating(dtype) ? dtype : broch_dtype(BROCH_FLOAT64);
  const std::string quotient = c.b.add("Div", {c.x(0, wide), c.x(1, wide)});
  return {c.b.cast(floor ? c.b.add("Floor", {quotient}) : truncated(c, quotient), wide, dtype)};
}
Names division(Call& c) {
  const std::string mode = c.text(2);
  if (!mode.empty()) return rounded_quotient(c, mode == "floor");
  return {two(c, "Div")};
}
// The result has the sign of the divisor. Not x - y * floor(x / y), whose quotient is rounded.
Names remainder(Call& c) {
  const broch_dtype dtype = c.result().dtype;
  const std::string x = c.x(0, dtype), y = c.x(1, dtype);
  if (!is_floating(dtype)) return {c.b.add("Mod", {x, y})};
  const Rest rest = rest_of(c, x, y);
  return {c.b.add("Where", {rest.has_other_sign, c.b.add("Add", {rest.value, y}), rest.value})};
}
Names fmod(Call& c) {
  const broch_dtype dtype = c.result().dtype;
  return {c.b.add("Mod", {c.x(0, dtype), c.x(1, dtype)}, {attribute("fmod", 1)})};
}
// To a number of decimals; a negative one rounds to tens and so on.
Names round(Call& c) {
  const int64_t decimals = c.name().ends_with(".decimals") ? c.integer(1, 0) : 0;
  if (decimals == 0 || !is_floating(c.result().dtype)) return {whole(c, "Round")};
  const std::string factor = constant(c, std::pow(10.0, double(std::abs(decimals))));
  const bool is_part = decimals > 0;
  const std::string scaled = c.b.add(is_part ? "Mul" : "Div", {c.x(0), factor});
  return {c.b.add(is_part ? "Div" : "Mul", {c.b.add("Round", {scaled}), factor})};
}
Names power(Call& c) {
  const broch_dtype dtype = c.result().dtype;
  const double exponent = c.is_value(1) ? 0 : c.scalar(1, 0);
  const std::string x = c.x(0, dtype);
  if (exponent == 2) return {c.b.add("Mul", {x, x})};
  if (exponent == 0.5) return {c.b.add("Sqrt", {x})};
  return {c.b.add("Pow", {x, c.x(1, dtype)})};
}

Names gelu(Call& c) {
  const std::string x = c.x(0);
  std::string inner;
  if (c.text(1) == "tanh") {
    const std::string cube = c.b.add("Mul", {c.b.add("Mul", {x, x}), x});
    const std::string sum = c.b.add("Add", {x, c.b.add("Mul", {cube, constant(c, 0.044715)})});
    inner = c.b.add("Tanh", {c.b.add("Mul", {sum, constant(c, std::sqrt(2 / M_PI))})});
  } else {
    inner = c.b.add("Erf", {c.b.add("Div", {x, constant(c, std::sqrt(2.0))})});
  }
  const std::string weight = c.b.add("Add", {inner, constant(c, 1)});
  return {c.b.add("Mul", {c.b.add("Mul", {x, weight}), constant(c, 0.5)})};
}
Names elu(Call& c) {
  const double alpha = c.scalar(1, 1), scale = c.scalar(2, 1);
  if (c.scalar(3, 1) != 1) c.refuse("an input scale");
  const std::string y = c.b.add("Elu", {c.x(0)}, {attribute("alpha", alpha)});
  return {scale == 1 ? y : c.b.add("Mul", {y, constant(c, scale)})};
}
Names softplus(Call& c) {
  const double beta = c.scalar(1, 1), threshold = c.scalar(2, 20);
  const std::string x = c.x(0);
  const std::string scaled = beta == 1 ? x : c.b.add("Mul", {x, constant(c, beta)});
  std::string y = c.b.add("Softplus", {scaled});
  if (beta != 1) y = c.b.add("Div", {y, constant(c, beta)});
  return {c.b.add("Where", {c.b.add("Greater", {scaled, constant(c, threshold)}), x, y})};
}
std::string silu(Call& c, const std::string& x) {
  return c.b.add("Mul", {x, c.b.add("Sigmoid", {x})});
}
Names glu(Call& c) {
  const int64_t axis = c.axis(1, c.rank(0), -1);
  const Names halves =
      c.b.add_all("Split", {c.x(0)}, {attribute("axis", axis), attribute("num_outputs", 2)}, 2);
  return {c.b.add("Mul", {halves[0], c.b.add("Sigmoid", {halves[1]})})};
}
Names prelu(Call& c) {
  std::string slope = c.x(1);
  const int64_t rank = c.rank(0);
  if (rank > 2 && c.rank(1) == 1) {
    std::vector<int64_t> axes;
    for (int64_t i = 1; i < rank - 1; ++i) axes.push_back(i);
    slope = c.b.unsqueeze(slope, axes);
  }
  return {c.b.add("PRelu", {c.x(0), slope})};
}
Names limited(Call& c, size_t least, size_t most) {
  const broch_dtype dtype = c.result().dtype;
  std::string y = c.x(0, dtype);
  if (c.has(least)) y = c.b.add("Max", {y, c.x(least, dtype)});
  if (c.has(most)) y = c.b.add("Min", {y, c.x(most, dtype)});
  return {y};
}
std::string between(Call& c, double least, double most) {
  return c.b.add("Clip", {c.x(0), constant(c, least), constant(c, most)});
}

// Argument yes where the condition holds, otherwise no. ONNX Runtime does not choose between bools.
std::string either(Call& c, size_t condition, size_t yes, size_t no) {
  const broch_dtype dtype = c.result().dtype;
  const std::string holds = c.x(condition, BROCH_BOOL);
  const std::string x = c.x(yes, dtype), y = c.x(no, dtype);
  if (dtype != BROCH_BOOL) return c.b.add("Where", {holds, x, y});
  const std::string other = c.b.add("And", {c.b.add("Not", {holds}), y});
  return c.b.add("Or", {c.b.add("And", {holds, x}), other});
}
Names where(Call& c) { return {either(c, 0, 1, 2)}; }
Names masked_fill(Call& c) { return {either(c, 1, 2, 0)}; }
Names addc(Call& c, const char* op) {
  const broch_dtype dtype = c.result().dtype;
  std::string product = c.b.add(op, {c.x(1, dtype), c.x(2, dtype)});
  if (c.scalar(3, 1) != 1) product = c.b.add("Mul", {product, constant(c, c.scalar(3, 1))});
  return {c.b.add("Add", {c.x(0, dtype), product})};
}
Names lerp(Call& c) {
  const broch_dtype dtype = c.result().dtype;
  const std::string way = c.b.add("Sub", {c.x(1), c.x(0)});
  return {c.b.add("Add", {c.x(0), c.b.add("Mul", {way, c.x(2, dtype)})})};
}
std::string logarithm(Call& c, double base) {
  return c.b.add("Div", {one(c, "Log"), constant(c, std::log(base))});
}
Names same(Call& c) { return {c.x(0)}; }
Names to_dtype(Call& c) { return {c.x(0, c.result().dtype)}; }
Names dropout(Call& c) {
  if (c.boolean(2, false) && c.scalar(1, 0) != 0) c.refuse("dropout, which is for training");
  return {c.x(0)};
}
Names copy(Call& c) {
  return {c.b.add("Expand", {c.x(1, c.result().dtype), c.b.sizes(c.result().shape)})};
}
// The difference of two infinities would be NaN.
Names logaddexp(Call& c) {
  const broch_dtype dtype = c.result().dtype;
  const std::string x = c.x(0, dtype), y = c.x(1, dtype), most = c.b.add("Max", {x, y});
  const std::string apart = c.b.add("Neg", {c.b.add("Abs", {c.b.add("Sub", {x, y})})});
  const std::string below = c.b.add("Where", {c.b.add("Equal", {x, y}), constant(c, 0), apart});
  return {c.b.add(
      "Add", {most, c.b.add("Log", {c.b.add("Add", {c.b.add("Exp", {below}), constant(c, 1)})})})};
}

// IsInf of operator set 18 has float32 and float64 alone, which have the values of all others.
std::string tested(Call& c) {
  return c.x(0, c.dtype(0) == BROCH_FLOAT64 ? BROCH_FLOAT64 : BROCH_FLOAT32);
}
Names isfinite(Call& c) {
  const std::string x = tested(c);
  const std::string odd = c.b.add("Or", {c.b.add("IsNaN", {x}), c.b.add("IsInf", {x})});
  return {c.b.add("Not", {odd})};
}

}  // namespace

void add_pointwise(Table& table) {
  table.insert({SAME("abs", "Abs"),
                SAME("acos", "Acos"),
                SAME("asin", "Asin"),
                SAME("atan", "Atan"),
                SAME("cos", "Cos"),
                SAME("cosh", "Cosh"),
                SAME("erf", "Erf"),
                SAME("exp", "Exp"),
                SAME("log", "Log"),
                SAME("neg", "Neg"),
                SAME("reciprocal", "Reciprocal"),
                SAME("relu", "Relu"),
                SAME("sigmoid", "Sigmoid"),
                SAME("sign", "Sign"),
                SAME("sin", "Sin"),
                SAME("sinh", "Sinh"),
                SAME("sqrt", "Sqrt"),
                SAME("tan", "Tan"),
                SAME("tanh", "Tanh"),
                SAME("selu", "Selu"),
                SAME("mish", "Mish"),
                SAME("hardswish", "HardSwish"),
                TWO("maximum", "Max"),
                TWO("minimum", "Min"),
                COMPARE("eq", "Equal", false),
                COMPARE("ne", "Equal", true),
                COMPARE("gt", "Greater", false),
                COMPARE("ge", "GreaterOrEqual", false),
                COMPARE("lt", "Less", false),
                COMPARE("le", "LessOrEqual", false)});
  table["mul"] = [](Call& c) -> Names {
    if (c.result().dtype == BROCH_BOOL) return logical(c, "And");
    return {two(c, "Mul")};
  };
  table["outer"] = [](Call& c) -> Names {
    return {c.b.add("Mul", {c.b.unsqueeze(c.x(0), {1}), c.x(1)})};
  };
  table["add"] = [](Call& c) { return scaled_sum(c, "Add"); };
  table["sub"] = [](Call& c) { return scaled_sum(c, "Sub"); };
  table["rsub"] = [](Call& c) -> Names {
    const broch_dtype dtype = c.result().dtype;
    if (c.scalar(2, 1) != 1) c.refuse("a factor alpha");
    return {c.b.add("Sub", {c.x(1, dtype), c.x(0, dtype)})};
  };
  table["div"] = division;
  table["floor_divide"] = [](Call& c) { return rounded_quotient(c, true); };
  table["remainder"] = remainder;
  table["round"] = round;
  table["fmod"] = fmod;
  table["pow"] = power;
  table["square"] = [](Call& c) -> Names { return {c.b.add("Mul", {c.x(0), c.x(0)})}; };
  table["rsqrt"] = [](Call& c) -> Names { return {c.b.add("Reciprocal", {one(c, "Sqrt")})}; };
  table["exp2"] = [](Call& c) -> Names {
    const broch_dtype dtype = c.result().dtype;
    return {c.b.add("Pow", {c.b.scalar(2, dtype), c.x(0, dtype)})};
  };
  table["expm1"] = [](Call& c) -> Names {
    return {c.b.add("Sub", {one(c, "Exp"), constant(c, 1)})};
  };
  table["log1p"] = [](Call& c) -> Names {
    return {c.b.add("Log", {c.b.add("Add", {c.x(0, c.result().dtype), constant(c, 1)})})};
  };
  table["log2"] = [](Call& c) -> Names { return {logarithm(c, 2)}; };
  table["log10"] = [](Call& c) -> Names { return {logarithm(c, 10)}; };
  table["erfc"] = [](Call& c) -> Names {
    return {c.b.add("Sub", {constant(c, 1), one(c, "Erf")})};
  };
  table["ceil"] = [](Call& c) -> Names { return {whole(c, "Ceil")}; };
  table["floor"] = [](Call& c) -> Names { return {whole(c, "Floor")}; };
  table["trunc"] = [](Call& c) -> Names {
    return {is_floating(c.result().dtype) ? truncated(c, c.x(0)) : c.x(0)};
  };
  table["frac"] = [](Call& c) -> Names { return {c.b.add("Sub", {c.x(0), truncated(c, c.x(0))})}; };
  table["logaddexp"] = logaddexp;
  table["lerp"] = lerp;
  table["addcmul"] = [](Call& c) { return addc(c, "Mul"); };
  table["addcdiv"] = [](Call& c) { return addc(c, "Div"); };
  table["where"] = where;
  table["masked_fill"] = masked_fill;
  table["clamp"] = [](Call& c) { return limited(c, 1, 2); };
  table["clamp_min"] = [](Call& c) { return limited(c, 1, 99); };
  table["clamp_max"] = [](Call& c) { return limited(c, 99, 1); };
  table["hardtanh"] = [](Call& c) -> Names {
    return {between(c, c.scalar(1, -1), c.scalar(2, 1))};
  };
  table["relu6"] = [](Call& c) -> Names { return {between(c, 0, 6)}; };
  table["hardsigmoid"] = [](Call& c) -> Names {
    return {c.b.add("HardSigmoid", {c.x(0)}, {attribute("alpha", 1.0 / 6)})};
  };
  table["leaky_relu"] = [](Call& c) -> Names {
    return {c.b.add("LeakyRelu", {c.x(0)}, {attribute("alpha", c.scalar(1, 0.01))})};
  };
  table["threshold"] = [](Call& c) -> Names {
    return {c.b.add("Where", {c.b.add("Greater", {c.x(0), constant(c, c.scalar(1, 0))}), c.x(0),
                              constant(c, c.scalar(2, 0))})};
  };
  table["gelu"] = gelu;
  table["elu"] = elu;
  table["softplus"] = softplus;
  table["silu"] = [](Call& c) -> Names { return {silu(c, c.x(0))}; };
  table["log_sigmoid"] = [](Call& c) -> Names {
    return {c.b.add("Neg", {c.b.add("Softplus", {c.b.add("Neg", {c.x(0)})})})};
  };
  table["glu"] = glu;
  table["prelu"] = prelu;
  table["isnan"] = [](Call& c) -> Names { return {c.b.add("IsNaN", {tested(c)})}; };
  table["isinf"] = [](Call& c) -> Names { return {c.b.add("IsInf", {tested(c)})}; };
  table["isfinite"] = isfinite;
  table["logical_not"] = [](Call& c) -> Names {
    return {truth(c, c.b.add("Not", {c.x(0, BROCH_BOOL)}))};
  };
  table["bitwise_not"] = [](Call& c) -> Names {
    return {c.b.add(c.result().dtype == BROCH_BOOL ? "Not" : "BitwiseNot", {c.x(0)})};
  };
  table["logical_and"] = [](Call& c) { return logical(c, "And"); };
  table["logical_or"] = [](Call& c) { return logical(c, "Or"); };
  table["logical_xor"] = [](Call& c) { return logical(c, "Xor"); };
  table["bitwise_and"] = table["__and__"] = [](Call& c) { return bitwise(c, "And", "BitwiseAnd"); };
  table["bitwise_or"] = table["__or__"] = [](Call& c) { return bitwise(c, "Or", "BitwiseOr"); };
  table["bitwise_xor"] = [](Call& c) { return bitwise(c, "Xor", "BitwiseXor"); };
  table["copy"] = copy;
  // Other names for the same.
  table["multiply"] = table["mul"];
  table["subtract"] = table["sub"];
  table["divide"] = table["true_divide"] = table["div"];
  table["absolute"] = table["abs"];
  table["negative"] = table["neg"];
  table["greater"] = table["gt"];
  table["greater_equal"] = table["ge"];
  table["less"] = table["lt"];
  table["less_equal"] = table["le"];
  table["not_equal"] = table["ne"];
  for (const char* name :
       {"alias", "clone", "contiguous", "detach", "lift_fresh_copy", "conj", "real", "resolve_conj",
        "resolve_neg", "lift_fresh", "detach_copy", "alias_copy"})
    table[name] = same;
  for (const char* name : {"to", "_to_copy", "type_as"}) table[name] = to_dtype;
  for (const char* name : {"dropout", "native_dropout", "feature_dropout"}) table[name] = dropout;
}

}  // namespace broch::onnx
