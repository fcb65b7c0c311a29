// metric_name.cpp: one rule, for names in the metadata and for those that plugins give.
#include "train/metric_name.hpp"

#include "base/text.hpp"

namespace broch::train {

bool is_metric_name(std::string_view name) { return base::is_printable(name); }

}  // namespace broch::train
