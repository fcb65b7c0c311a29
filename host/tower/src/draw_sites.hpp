// draw_sites.hpp: which random numbers the operators of a tower draw.
//
// A site is an operator's name in a scope; its calls are numbered. So no operator draws other
// numbers when another one is pruned, evaluated or added elsewhere.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/backend.hpp"
#include "tower/names.hpp"

namespace broch::tower {

class Tower;

class DrawSites {
 public:
  explicit DrawSites(const Tower& tower);

  DrawKey next(std::string_view operator_name, std::string_view scope, uint64_t hooked_run);
  // A call begins: all sites are at their first number again.
  void clear() { uses_.clear(); }

 private:
  uint64_t seed_;
  std::vector<std::pair<uint64_t, uint32_t>> uses_;  // site without its number, calls so far
};

}  // namespace broch::tower
