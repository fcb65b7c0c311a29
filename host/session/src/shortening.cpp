// shortening.cpp: edits the manifest, so that the run itself needs no code for this.
#include "session/shortening.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "manifest/defaults.hpp"
#include "wrapped.hpp"

namespace broch::session {
namespace {

using manifest::Component;
using manifest::Manifest;
using manifest::Value;

using base::counted;

class Shortener {
 public:
  Shortener(Manifest& manifest, const plugins::Catalog& catalog, const Shortening& shortening)
      : manifest_(manifest), catalog_(catalog), shortening_(shortening) {}

  std::string run() {
    if (shortening_.fast_dev_run) run_one_epoch(shortening_.fast_dev_run);
    if (shortening_.overfit) overfit(shortening_.overfit);
    if (shortening_.train) limit_training(shortening_.train);
    if (shortening_.eval) limit_evaluation(shortening_.eval, "--limit eval");
    return base::join(done_, "; ");
  }

 private:
  static Value whole(int64_t count, const char* by) { return Value(count, manifest::made_by(by)); }

  void set(const char* key, int64_t& field, int64_t value, const char* by) {
    field = value;
    manifest_.value.set(key, whole(value, by));
  }
  void set_steps(int64_t steps, const char* by) {
    manifest_.steps_per_epoch = {steps, std::nullopt, std::nullopt};
    manifest_.value.set("steps_per_epoch", whole(steps, by));
  }

  void run_one_epoch(int64_t steps) {
    constexpr const char* kBy = "--fast-dev-run";
    set_steps(steps, kBy);
    set("max_epoch", manifest_.max_epoch, manifest_.starting_epoch, kBy);
    for_callbacks([&](std::vector<Component>& list) {
      for (Component& callback : list) trigger_often(callback, steps, kBy);
    });
    done_.push_back(std::string(kBy) + ": " + counted(steps, "step") +
                    " of one epoch, no log folder, no checkpoint is kept");
    limit_evaluation(steps, kBy);
  }

  static void trigger_often(Component& callback, int64_t steps, const char* by) {
    if (callback.use != manifest::default_id("when")) return;
    Value& with = *callback.entry.find("with");
    const auto cut = [&](const char* period, int64_t most) {
      const Value* value = with.find(period);
      if (value && value->is(Value::Kind::integer) && value->integer() > most)
        with.set(period, whole(most, by));
    };
    cut("every_k_epochs", 1);
    cut("every_k_steps", steps);
  }

  void overfit(int64_t points) {
    constexpr const char* kBy = "--overfit";
    for_training_data([&](Component& data) {
      remove_shuffles(data, data.entry);
      if (!take_first(data, data.entry, points, kBy))
        throw base::Error(base::Exit::manifest,
                          {data.pointer, "an input source without a dataflow inside", "a dataflow",
                           "leave --overfit out"});
    });
    if (!manifest_.dataflow && !manifest_.data)
      throw base::Error(base::Exit::manifest,
                        {"--overfit", "neither dataflow nor data in the manifest", "a dataflow",
                         "leave --overfit out"});
    cut_steps(points, kBy);
    done_.push_back(std::string(kBy) + ": the first " + counted(points, "data point") +
                    " again and again, " + counted(shuffles_, "shuffle") + " left out");
  }

  void limit_training(int64_t steps) {
    constexpr const char* kBy = "--limit train";
    bool taken = false;
    for_training_data([&](Component& data) { taken |= take_first(data, data.entry, steps, kBy); });
    // An input that now ends after these points has the right size; then no number of steps is set.
    if (!taken && !manifest_.steps_per_epoch.steps)
      cut_to(steps);
    else
      cut_steps(steps, kBy);
    done_.push_back(std::string(kBy) + ": at most " + counted(steps, "step") + " per epoch");
  }

  void cut_steps(int64_t most, const char* by) {
    const manifest::EpochLength& length = manifest_.steps_per_epoch;
    if (length.samples) cut_to(most);
    if (length.steps && *length.steps > most) set_steps(most, by);
  }

  // An epoch that has fewer steps keeps them.
  void cut_to(int64_t most) {
    std::optional<int64_t>& known = manifest_.steps_per_epoch.most;
    known = std::min(known.value_or(most), most);
  }

  void limit_evaluation(int64_t points, const char* by) {
    int64_t count = 0;
    for_callbacks([&](std::vector<Component>& list) {
      for (Component& callback : list) count += take_first(callback, callback.entry, points, by);
    });
    if (count > 0)
      done_.push_back(std::string(by) + ": at most " + counted(points, "data point") + " in " +
                      counted(count, "callback") + " with data of their own");
  }

  // Wraps the outermost dataflows of a component in a take. Returns false if there are none.
  static bool take_first(const Component& component, Value& entry, int64_t points, const char* by) {
    if (component.role == "dataflow") {
      entry = wrapped(manifest::default_id("limit"), "dataflow", entry, manifest::made_by(by));
      entry.find("with")->set("points", whole(points, by));
      return true;
    }
    bool any = false;
    for (const Component& child : component.children)
      any |= take_first(child, place_of(child, entry), points, by);
    return any;
  }

  void remove_shuffles(const Component& component, Value& entry) {
    for (const Component& child : component.children)
      remove_shuffles(child, place_of(child, entry));
    const plugins::Component* flow = catalog_.look_up(component.use);
    if (!flow || flow->reorders.empty()) return;
    const auto child =
        std::ranges::find(component.children, "/" + flow->reorders, &Component::slot);
    if (child == component.children.end()) return;  // it may be absent, or the name be wrong
    Value inner = place_of(*child, entry);
    entry = std::move(inner);
    ++shuffles_;
  }

  static Value& place_of(const Component& child, Value& entry) {
    return *manifest::find_at(entry, "/with" + child.slot);
  }

  template <class Change>
  void for_training_data(Change change) {
    for (std::optional<Component>* data : {&manifest_.dataflow, &manifest_.data})
      if (*data) {
        change(**data);
        manifest_.value.set((*data)->pointer.substr(1), (*data)->entry);
      }
  }

  template <class Change>
  void for_callbacks(Change change) {
    const std::pair<const char*, std::vector<Component>*> lists[] = {
        {"callbacks", &manifest_.callbacks}, {"extra_callbacks", &manifest_.extra_callbacks}};
    for (const auto& [key, list] : lists) {
      change(*list);
      Value::Array entries;
      for (size_t i = 0; i < list->size(); ++i) {
        (*list)[i].pointer = manifest::child_pointer(std::string("/") + key, i);
        entries.push_back((*list)[i].entry);
      }
      manifest_.value.set(key, Value(std::move(entries), manifest_.value.find(key)->origin()));
    }
  }

  Manifest& manifest_;
  const plugins::Catalog& catalog_;
  const Shortening& shortening_;
  int64_t shuffles_ = 0;
  std::vector<std::string> done_;
};

}  // namespace

std::string shorten(Manifest& manifest, const plugins::Catalog& catalog,
                    const Shortening& shortening) {
  return Shortener(manifest, catalog, shortening).run();
}

}  // namespace broch::session
