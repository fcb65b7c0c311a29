// picture.hpp: curves in panels side by side, and the way to get them drawn.
//
// Drawing uses cairo, which lives in a shared object of its own (lib/broch/broch_plot.so) so that
// the program itself neither links nor needs it.
#pragma once
#include <string>
#include <vector>

namespace broch::plot {

struct Series {
  std::string name;
  std::vector<double> x, y;  // equally long, x ascending; a y that is not finite breaks the line
};

struct Panel {
  std::string title;
  std::vector<Series> series;
};

struct Picture {
  std::string title;
  std::string x_label;
  std::vector<Panel> panels;  // at least one
};

// The bytes of a PNG file. Throws base::Error (plugin) when the drawing half cannot be opened.
std::string draw_png(const Picture& picture);

// What broch_plot.so exports under kDrawSymbol; an exception does not leave it.
using DrawFunction = bool(const Picture& picture, std::string& bytes, std::string& error);
inline constexpr const char* kDrawSymbol = "broch_plot_draw";

}  // namespace broch::plot
