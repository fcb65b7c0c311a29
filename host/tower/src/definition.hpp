// definition.hpp: what a tower function does in every call, and how each call is compared with it.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/placement.hpp"
#include "tower/names.hpp"
#include "tower/tower.hpp"

namespace broch::tower {

enum class EventKind : uint8_t { get, publish, collect, update, summary, moving };

// One registration.
struct Event {
  EventKind kind;
  std::string name;              // of a variable, tensor, collection, anchor, summary
  Variable* variable = nullptr;  // get, update
  broch_dtype dtype = 0;         // publish
  Shape shape;                   // publish; only the rank is compared
  uint32_t kinds = 0;            // summary
  std::string collection;        // moving
  bool frozen = false;           // collect, update: the tower drops it
  bool to_collection = false;    // update: the anchor is a collection; known when define ends
};

// A registration to be compared; becomes an Event only if it is stored.
struct EventKey {
  EventKind kind;
  std::string_view name;
  Variable* variable = nullptr;
  const TensorInfo* published = nullptr;
  uint32_t kinds = 0;

  bool matches(const Event& event) const {
    if (published && (published->dtype != event.dtype || published->shape.rank != event.shape.rank))
      return false;
    return kind == event.kind && variable == event.variable && kinds == event.kinds &&
           name == event.name;
  }
};

// Events keep their addresses as long as the tower lives.
using Events = std::vector<std::unique_ptr<Event>>;

class Definition {
 public:
  explicit Definition(Placement of_variables) : placement(std::move(of_variables)) {}

  Events events;
  bool has_cost = false;
  bool names_cost = false;  // the cost was not published by the function and gets a name
  std::vector<Collection> collections;
  Placement placement;

  Registration registration() const;
};

// Follows the definition during a call; during define it writes the definition.
class Follower {
 public:
  explicit Follower(Definition& definition) : definition_(definition) {}

  void begin(bool defining);
  // Returns the next event of the definition if it matches, else stores a new one as a difference.
  Event& note(const EventKey& key);
  // Returns the next event of the definition if it is a get of this name, else nullptr.
  const Event* next_get(std::string_view name) const;
  // Returns "" if everything was as defined, else the first difference.
  std::string difference(bool has_cost) const;

 private:
  bool follows() const { return !defining_ && other_.empty(); }

  Definition& definition_;
  bool defining_ = false;
  size_t next_ = 0;  // number of events that matched …
  Events other_;     // … and those after the first that did not
};

}  // namespace broch::tower
