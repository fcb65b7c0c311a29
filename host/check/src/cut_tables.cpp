// cut_tables.cpp: copies of tables with another struct_size.
#include "cut_tables.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "broch/broch.h"
#include "verdict.hpp"

namespace broch::check {
namespace {

constexpr size_t kWords = 64;  // more than any table has

struct Copy {
  const void* words[kWords];
};

std::string cut_id;

// Stands in for functions of any type; it ignores its arguments.
void called_beyond() {
  fail_and_leave("called an entry that lies beyond the struct_size of " + cut_id +
                 "\n  hint: ask BROCH_HAS before using what was added to the interface later");
}

// A copy of the first size bytes; all further entries fail the test when they are called.
const void* copy_of(const void* table, size_t size, uint32_t struct_size) {
  // Plugins may use a table until the process ends, so copies are never deleted.
  static auto* const copies = new std::vector<std::unique_ptr<Copy>>;
  Copy* const copy = copies->emplace_back(std::make_unique<Copy>()).get();
  for (const void*& word : copy->words) word = reinterpret_cast<const void*>(&called_beyond);
  std::memcpy(copy->words, table, size);
  std::memcpy(copy->words, &struct_size, sizeof struct_size);
  return copy;
}

uint32_t size_of(const void* table) {
  uint32_t size = 0;
  std::memcpy(&size, table, sizeof size);
  return size;
}

}  // namespace

// One for each addition to a table of sdk/include/broch/ext since interface 0.2, as
// sdk/CHANGELOG.md lists them: {BROCH_EXT_TOWER, offsetof(broch_host_tower, first_new_entry)}.
const std::vector<OlderSize>& older_sizes() {
  static const std::vector<OlderSize> sizes;
  return sizes;
}

Watch::Filter cut_table(const OlderSize& older) {
  cut_id = older.id;
  return [older](const std::string& id, const void* table) {
    return table && id == older.id ? copy_of(table, older.size, uint32_t(older.size)) : table;
  };
}

Watch::Filter longer_tables() {
  cut_id = "the host's own table";
  return [](const std::string&, const void* table) -> const void* {
    if (!table) return nullptr;
    const uint32_t size = size_of(table);
    return copy_of(table, size, size + 64);
  };
}

}  // namespace broch::check
