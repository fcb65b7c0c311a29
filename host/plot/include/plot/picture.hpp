// picture.hpp: curves in a grid of panels, and the function that draws them.
//
// Drawing uses cairo. It is in a shared object (lib/broch/broch_plot.so), so that the program
// itself is not linked with cairo and works without it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace broch::plot {

struct Series {
  std::string name;
  // Of equal length, x ascending; a y that is not finite interrupts the curve.
  std::vector<double> x, y;
  size_t color = 0;  // curves with equal numbers have the same color
  size_t dash = 0;   // curves with equal numbers have the same dashes
};

struct Panel {
  std::string title;
  std::vector<Series> series;
};

struct Picture {
  std::string title;
  std::string x_label;
  std::vector<Panel> panels;   // at least one
  bool x_logarithmic = false;  // then every x is above 0; otherwise ticks are whole numbers
};

enum class Format { png, svg, pdf };
// By the ending of the file name; nothing if it is none of these.
std::optional<Format> format_of(std::string_view file);
// Whether these are the first bytes of a picture in one of the formats.
bool is_picture(std::string_view beginning);

// Returns the content of the file. Throws base::Error (plugin) if broch_plot.so cannot be opened.
std::string draw(const Picture& picture, Format format);

// The type of the function that broch_plot.so exports as kDrawSymbol. It throws no exceptions.
using DrawFunction = bool(const Picture& picture, Format format, std::string& bytes,
                          std::string& error);
inline constexpr const char* kDrawSymbol = "broch_plot_draw";

}  // namespace broch::plot
