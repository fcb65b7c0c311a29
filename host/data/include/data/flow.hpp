// flow.hpp: a dataflow on its own, without a model, a trainer or a log folder.
#pragma once
#include <memory>
#include <optional>

#include "abi/roles.hpp"
#include "manifest/manifest.hpp"
#include "runtime/point.hpp"
#include "session/setup.hpp"
#include "session/workbench.hpp"

namespace broch::data {

// The dataflow itself, or the first one inside an input source; nullptr: there is none.
const manifest::Component* dataflow_in(const manifest::Component& component);

class Flow {
 public:
  // options.manifest: the path of a manifest (options.source: its text), whose "dataflow" it is, or
  // the dataflow inside its "data"; or JSON text of an entry, {"use": …}. Throws base::Error.
  explicit Flow(const session::SetupOptions& options);

  const manifest::Component& component() const { return component_; }  // resolved
  // Whether it can be read by index. Creates the instances to know it.
  bool is_indexed();
  const plugins::Catalog& catalog() const { return *catalog_; }
  const session::Kinds& kinds() const { return *kinds_; }
  session::Workbench& bench() { return *bench_; }

 private:
  manifest::Manifest manifest_;
  std::unique_ptr<plugins::Catalog> catalog_;
  std::unique_ptr<session::Kinds> kinds_;
  manifest::Component component_;
  std::unique_ptr<session::Workbench> bench_;
};

// One pass over a dataflow.
class FlowReader {
 public:
  // component: the dataflow, or one inside it. Creates the instances and opens the first round.
  FlowReader(Flow& flow, const manifest::Component& component);

  // The next point. False: the round has ended, or the wait was interrupted.
  bool next(runtime::Point& point);
  // Begins the next round.
  void rewind() { source_.open(nullptr, 0); }
  // Continues behind the point with this cursor.
  void resume(const std::string& cursor) { source_.open(cursor.data(), cursor.size()); }
  // No value: the size is not known, or there is none.
  std::optional<int64_t> size();
  abi::Instance& instance() const { return *made_->instance; }
  const broch_cancel* cancel() const { return cancel_; }

 private:
  const broch_cancel* cancel_;
  std::unique_ptr<session::Made> made_;
  abi::DataFlow source_;
};

}  // namespace broch::data
