// run_request.hpp: what one run is to compute besides its plan, and what came out.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "plan/fetches.hpp"
#include "plan/names.hpp"
#include "runtime/tensor.hpp"
#include "summary/summaries.hpp"

namespace broch::plan {

// Reused from run to run, so that a step allocates nothing.
struct RunRequest {
  struct Feed {
    const Fetch* name;
    runtime::Tensor value;
    const std::string* feeder;
  };

  // Asked for.
  const Fetches* table = nullptr;
  std::vector<uint32_t> fetches;  // entries of the table, each once; kept until changed
  struct OfTower {
    uint32_t tower;                   // index of a training tower
    std::vector<uint32_t> published;  // of what is fetched among its published values; ascending
  };
  std::vector<OfTower> towers;  // that these read, each once
  bool reads_state = false;     // they read something else as well
  std::vector<Feed> feeds;
  bool summaries = false;
  bool hooked = false;      // updates at collections and moving averages belong to hooked runs
  bool evaluation = false;  // forward only: no gradients, no updates
  uint64_t number = 0;      // of the hooked run: counter of the draws

  // Came out.
  // By entry; undefined where not fetched. With their graph: detach what leaves the run.
  std::vector<runtime::Tensor> values;
  summary::SummaryBatch summary;

  void fetch(uint32_t entry) {
    fetches.push_back(entry);
    const Fetch& asked = (*table)[entry];
    if (asked.kind != Fetch::Kind::published) {
      reads_state = true;
      return;
    }
    auto of = std::ranges::find(towers, asked.tower, &OfTower::tower);
    if (of == towers.end()) of = towers.insert(of, {asked.tower, {}});
    const auto number = static_cast<uint32_t>(asked.place);
    const auto place = std::ranges::lower_bound(of->published, number);
    if (place == of->published.end() || *place != number) of->published.insert(place, number);
  }
  void fetch_nothing() {
    fetches.clear();
    towers.clear();
    reads_state = false;
  }
  void clear() {
    for (const uint32_t entry : fetches) values[entry] = {};
    feeds.clear();
    summary.clear();
    summaries = hooked = evaluation = false;
  }
};

}  // namespace broch::plan
