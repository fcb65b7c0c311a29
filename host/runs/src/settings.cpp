// settings.cpp: compares manifests value by value.
#include "runs/settings.hpp"

#include <algorithm>
#include <set>

#include "value/json.hpp"

namespace broch::runs {
namespace {

using value::Value;

void add_leaves(const Value& value, const std::string& pointer, Settings& settings) {
  const size_t before = settings.size();
  if (value.is(Value::Kind::array))
    for (size_t i = 0; i < value.array().size(); ++i)
      add_leaves(value.array()[i], value::child_pointer(pointer, i), settings);
  if (value.is(Value::Kind::object))
    for (const value::Member& member : value.object())
      add_leaves(member.value, value::child_pointer(pointer, member.key), settings);
  if (settings.size() == before) settings[pointer] = value::to_text(value);
}

}  // namespace

Settings settings_of(const Value& manifest) {
  Settings settings;
  add_leaves(manifest, "", settings);
  settings.erase("/log_dir");
  return settings;
}

std::vector<std::string> differing(const std::vector<Settings>& all) {
  std::set<std::string> pointers;
  for (const Settings& settings : all)
    for (const auto& [pointer, value] : settings) pointers.insert(pointer);
  const auto at = [](const Settings& settings, const std::string& pointer) {
    const auto found = settings.find(pointer);
    return found == settings.end() ? std::string() : found->second;
  };
  std::erase_if(pointers, [&](const std::string& pointer) {
    return std::ranges::all_of(all, [&](const Settings& settings) {
      return at(settings, pointer) == at(all.front(), pointer);
    });
  });
  return {pointers.begin(), pointers.end()};
}

}  // namespace broch::runs
