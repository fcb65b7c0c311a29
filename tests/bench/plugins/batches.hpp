// batches.hpp: a dataflow over a small data set in memory, made by formula; it never ends.
#pragma once
#include <broch/broch.hpp>

#include "formula.hpp"

namespace broch::bench {

class Batches final : public broch::DataFlow {
 public:
  explicit Batches(const broch::Host& host) {
    const broch::Config config(host);
    for (uint64_t i = 0, n = config.size("/components"); i < n; ++i) {
      const std::string at = "/components/" + std::to_string(i);
      components_.push_back({config.string(at + "/name"), config.integers(at + "/shape"),
                             config.integer(at + "/classes"), config.integer(at + "/period")});
    }
  }

  void reset_state() override {
    for (Component& component : components_) {
      Column column;
      for (int64_t batch = 0; batch < kBatches; ++batch) {
        if (component.classes)
          column.integers.push_back(integers(component, batch));
        else
          column.numbers.push_back(numbers(component, batch));
      }
      columns_.push_back(std::move(column));
    }
  }

  void open(const std::string& cursor) override { next_ = cursor.empty() ? 0 : std::stoll(cursor); }

  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    const auto batch = static_cast<size_t>(next_++ % kBatches);
    for (size_t i = 0; i < components_.size(); ++i) {
      Component& component = components_[i];
      const bool whole = component.classes != 0;
      const void* data = whole ? static_cast<const void*>(columns_[i].integers[batch].data())
                               : columns_[i].numbers[batch].data();
      const broch_dl_type type =
          whole ? broch_dl_type{BROCH_DL_INT, 64, 1} : broch_dl_type{BROCH_DL_FLOAT, 32, 1};
      point.add(broch::dl_view(data, type, component.shape.data(),
                               static_cast<int32_t>(component.shape.size())),
                component.name.c_str());
    }
    point.set_cursor(std::to_string(next_));
    return true;
  }

 private:
  struct Column {  // one entry a batch in one of the two
    std::vector<std::vector<float>> numbers;
    std::vector<std::vector<int64_t>> integers;
  };
  std::vector<Component> components_;
  std::vector<Column> columns_;
  int64_t next_ = 0;
};

}  // namespace broch::bench
