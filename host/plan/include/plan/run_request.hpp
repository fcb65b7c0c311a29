// run_request.hpp: what one execution computes in addition to its plan, and the results.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "plan/fetches.hpp"
#include "plan/names.hpp"
#include "runtime/tensor.hpp"
#include "summary/summaries.hpp"

namespace broch::plan {

// Reused for each execution, so that a usual step allocates nothing here.
struct RunRequest {
  struct Feed {
    const Fetch* name;
    runtime::Tensor value;
    const std::string* feeder;
  };

  // Request.
  const Fetches* table = nullptr;
  std::vector<uint32_t> fetches;  // entries of the table, each once; kept until changed
  struct OfTower {
    uint32_t tower;                   // index of a training tower
    std::vector<uint32_t> published;  // indices of the fetched published tensors, ascending
  };
  std::vector<OfTower> towers;  // towers that the fetches read, each once
  bool reads_state = false;     // whether fetches also read anything else
  std::vector<Feed> feeds;
  bool summaries = false;
  bool hooked = false;      // includes updates at collections and moving averages
  bool evaluation = false;  // forward only: no gradients, no updates
  uint64_t number = 0;      // of the hooked run: counter for random draws

  // Results. By entry; undefined where not fetched. Tensors keep their autograd graph: detach what
  // is to outlive the execution.
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
    const auto number = static_cast<uint32_t>(asked.index);
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
