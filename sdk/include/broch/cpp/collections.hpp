// collections.hpp: reads what tower functions have published, and added to collections.
#pragma once
#include <string>
#include <vector>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// The collections of towers; see ext/collections.h. tower: the index of a training tower, or the
// name of any tower, such as "tower-pred-0".
class Collections {
 public:
  explicit Collections(const Host& host)
      : host_(host), table_(host.require<broch_host_collections>(BROCH_EXT_COLLECTIONS)) {}

  // Those that are not empty.
  std::vector<std::string> list(uint32_t tower = 0) const { return list_of(nullptr, tower); }
  std::vector<std::string> list(const std::string& tower) const {
    return list_of(tower.c_str(), 0);
  }
  // The published name of each member; "" for a member without a name.
  std::vector<std::string> members(const std::string& collection, uint32_t tower = 0) const {
    return members_of(collection, nullptr, tower);
  }
  std::vector<std::string> members(const std::string& collection, const std::string& tower) const {
    return members_of(collection, tower.c_str(), 0);
  }
  // The inputs of a tower and the names that it published.
  std::vector<std::string> published(uint32_t tower = 0) const {
    return published_by(nullptr, tower);
  }
  std::vector<std::string> published(const std::string& tower) const {
    return published_by(tower.c_str(), 0);
  }
  // In setup_graph of a callback: requests a member of a training tower with every hooked run.
  // Returns the id, as Run::fetch does.
  uint32_t fetch(const std::string& collection, uint32_t member, uint32_t tower = 0) const {
    uint32_t id = 0;
    host_.check(table_->fetch(host_.c(), tower, collection.c_str(), member, &id));
    return id;
  }

 private:
  std::vector<std::string> list_of(const char* tower, uint32_t index) const {
    return texts([&](const char** names, uint32_t capacity, uint32_t* count) {
      return table_->list(host_.c(), tower, index, names, capacity, count);
    });
  }
  std::vector<std::string> members_of(const std::string& collection, const char* tower,
                                      uint32_t index) const {
    return texts([&](const char** names, uint32_t capacity, uint32_t* count) {
      return table_->members(host_.c(), tower, index, collection.c_str(), names, capacity, count);
    });
  }
  std::vector<std::string> published_by(const char* tower, uint32_t index) const {
    if (!BROCH_HAS(broch_host_collections, table_, published))
      throw Error(BROCH_E_UNIMPLEMENTED, "this host does not tell what a tower publishes");
    return texts([&](const char** names, uint32_t capacity, uint32_t* count) {
      return table_->published(host_.c(), tower, index, names, capacity, count);
    });
  }
  template <class Ask>
  std::vector<std::string> texts(Ask&& ask) const {
    uint32_t count = 0;
    host_.check(ask(nullptr, 0, &count));
    std::vector<const char*> names(count);
    host_.check(ask(names.data(), count, &count));
    return {names.begin(), names.end()};
  }

  Host host_;
  const broch_host_collections* table_;
};

}  // namespace v0
}  // namespace broch
