// parallel.hpp: parallel coordinates: vertical axes side by side, and lines that cross all of them.
#pragma once
#include <string>
#include <vector>

#include "plot/picture.hpp"

namespace broch::plot {

struct ParallelAxis {
  std::string name;
  std::vector<std::string> words{};  // not empty: a value is an index into them
  bool logarithmic = false;          // then every value is above 0
};

struct ParallelLine {
  std::vector<double> values{};  // one per axis; NaN: the line is interrupted there
  bool dashed = false;
};

// The value on the last axis, which is finite, gives a line its color.
struct ParallelPicture {
  std::string title;
  std::vector<ParallelAxis> axes{};   // at least one
  std::vector<ParallelLine> lines{};  // at least one; drawn in this order
  bool low_is_good = true;            // on the last axis
};

// As for a Picture.
std::string draw(const ParallelPicture& picture, Format format);

using DrawParallelFunction = bool(const ParallelPicture& picture, Format format, std::string& bytes,
                                  std::string& error);
inline constexpr const char* kDrawParallelSymbol = "broch_plot_draw_parallel";

}  // namespace broch::plot
