// collections.cpp: broch.collections/1.
#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "tables.hpp"

namespace broch::train {

namespace {

using tower::Collection;
using tower::Tower;

constexpr const char* kMembers = "broch.collections/1 members";
constexpr const char* kFetch = "broch.collections/1 fetch";
constexpr const char* kList = "broch.collections/1 list";
constexpr const char* kPublished = "broch.collections/1 published";

const Tower& tower_of(Trainer& trainer, const char* name, uint32_t index) {
  const Towers* const towers = trainer.towers();
  if (!towers)
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION, "collections: the run has no model"};
  if (const Tower* found = name ? towers->find(name) : towers->training(index)) return *found;
  std::vector<std::string> there;
  for (const Tower* tower : towers->all())
    there.push_back(tower->spec().training
                        ? "training tower " + std::to_string(tower->spec().index) + " " +
                              base::quoted(tower->spec().name)
                        : base::quoted(tower->spec().name));
  throw abi::CallError{
      BROCH_E_NOT_FOUND,
      "collections: no " +
          (name ? "tower " + base::quoted(name) : "training tower " + std::to_string(index)) +
          "; there are: " +
          (there.empty() ? "none before a plan is sealed" : base::join(there, ", "))};
}

const std::vector<Collection::Member>& members_of(const Tower& tower, std::string_view name) {
  static const std::vector<Collection::Member> kNone;
  const auto found = std::ranges::find(tower.collections(), name, &Collection::name);
  return found == tower.collections().end() ? kNone : found->members;
}

// Writes one text of each element, up to the capacity. text: a member, or a function.
template <class T, class Text>
void write(const std::vector<T>& list, Text text, const char** out, uint32_t capacity,
           uint32_t* count, const char* function) {
  *given(count, function, "count") = static_cast<uint32_t>(list.size());
  const size_t written = std::min<size_t>(capacity, list.size());
  if (written) given(out, function, "the array to fill");
  for (size_t i = 0; i < written; ++i) out[i] = std::invoke(text, list[i]).c_str();
}

broch_status list(const broch_host* host, const char* tower, uint32_t index,
                  const char** collections, uint32_t capacity, uint32_t* count) {
  return serve(host, kList, Role::main, [&](Instance& instance) {
    write(tower_of(trainer_of(instance), tower, index).collections(), &Collection::name,
          collections, capacity, count, kList);
    return BROCH_OK;
  });
}

broch_status members(const broch_host* host, const char* tower, uint32_t index,
                     const char* collection, const char** names, uint32_t capacity,
                     uint32_t* count) {
  return serve(host, kMembers, Role::main, [&](Instance& instance) {
    const Tower& of = tower_of(trainer_of(instance), tower, index);
    write(members_of(of, given(collection, kMembers, "collection")), &Collection::Member::published,
          names, capacity, count, kMembers);
    return BROCH_OK;
  });
}

const Collection::Member& member_of(const Tower& tower, const char* collection, uint32_t member) {
  const auto& all = members_of(tower, collection);
  const std::string what = std::string(kFetch) + ": member " + std::to_string(member) + " of " +
                           base::quoted(collection) + " in " + tower.describe();
  if (member >= all.size())
    throw abi::CallError{BROCH_E_OUT_OF_RANGE,
                         what + ", expected a number below " + std::to_string(all.size())};
  if (all[member].published.empty())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         what + " is " + all[member].what +
                             ", expected a tensor that was published\n  hint: give the tensor to "
                             "publish of broch.tower/1 and add what that answers, or fetch the "
                             "variable that an update writes"};
  return all[member];
}

broch_status fetch(const broch_host* host, uint32_t index, const char* collection, uint32_t member,
                   uint32_t* id) {
  return serve(host, kFetch, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_callbacks_setup(trainer, instance, kFetch);
    CallbackSlot& slot = slot_of(trainer, instance, kFetch);
    const Collection::Member& found = member_of(tower_of(trainer, nullptr, index),
                                                given(collection, kFetch, "collection"), member);
    const std::string name = std::to_string(index) + ":" + found.published;
    *given(id, kFetch, "id") =
        trainer.runs().declare_fetch(slot, name.c_str(), abi::describe(instance));
    return BROCH_OK;
  });
}

broch_status published(const broch_host* host, const char* tower, uint32_t index,
                       const char** names, uint32_t capacity, uint32_t* count) {
  return serve(host, kPublished, Role::main, [&](Instance& instance) {
    write(tower_of(trainer_of(instance), tower, index).published_names(), std::identity(), names,
          capacity, count, kPublished);
    return BROCH_OK;
  });
}

}  // namespace

const broch_host_collections kCollectionsTable = {
    sizeof(broch_host_collections), 0, list, members, fetch, published};

}  // namespace broch::train
