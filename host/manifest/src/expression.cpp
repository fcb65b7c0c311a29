// expression.cpp: evaluates expressions.
#include "manifest/expression.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace broch::manifest {
namespace {

// Python's %: the result has the sign of the divisor.
double modulo(double x, double y) {
  const double rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

}  // namespace

std::optional<double> Expression::evaluate(const Context& context) const {
  bool stopped = false;
  const double result = number(nodes_.back(), context, stopped);
  return stopped ? std::nullopt : std::optional(result);
}

std::vector<std::string> Expression::stats() const {
  std::vector<std::string> names;
  for (const Node& node : nodes_) {
    if (node.kind == Kind::stat) names.push_back(node.name);
  }
  return names;
}

double Expression::number(const Node& node, const Context& context, bool& stopped) const {
  const auto child = [&](int i) { return number(nodes_[node.children[i]], context, stopped); };
  if (stopped) return 0;
  switch (node.kind) {
    case Kind::constant:
      return node.constant;
    case Kind::pi:
      return std::numbers::pi;
    case Kind::epoch_num:
      return context.epoch_num;
    case Kind::local_step:
      return context.local_step;
    case Kind::global_step:
      return context.global_step;
    case Kind::value:
      return context.value;
    case Kind::stat:
      return context.stat(node.name);
    case Kind::stop:
      stopped = true;
      return 0;
    case Kind::negate:
      return -child(0);
    case Kind::invert:
      return child(0) == 0;
    case Kind::exp:
      return std::exp(child(0));
    case Kind::log:
      return std::log(child(0));
    case Kind::sqrt:
      return std::sqrt(child(0));
    case Kind::cos:
      return std::cos(child(0));
    case Kind::floor:
      return std::floor(child(0));
    case Kind::abs:
      return std::fabs(child(0));
    case Kind::both:
      return child(0) != 0 && child(1) != 0;
    case Kind::either:
      return child(0) != 0 || child(1) != 0;
    case Kind::choose:
      return child(0) != 0 ? child(1) : child(2);
    default:
      return of_two(node, context, stopped);
  }
}

double Expression::of_two(const Node& node, const Context& context, bool& stopped) const {
  const double x = number(nodes_[node.children[0]], context, stopped);
  const double y = number(nodes_[node.children[1]], context, stopped);
  switch (node.kind) {
    case Kind::add:
      return x + y;
    case Kind::subtract:
      return x - y;
    case Kind::multiply:
      return x * y;
    case Kind::divide:
      return x / y;
    case Kind::modulo:
      return modulo(x, y);
    case Kind::power:
      return std::pow(x, y);
    case Kind::minimum:
      return std::min(x, y);
    case Kind::maximum:
      return std::max(x, y);
    case Kind::less:
      return x < y;
    case Kind::less_equal:
      return x <= y;
    case Kind::greater:
      return x > y;
    case Kind::greater_equal:
      return x >= y;
    case Kind::equal:
      return x == y;
    default:
      return x != y;  // not_equal
  }
}

}  // namespace broch::manifest
