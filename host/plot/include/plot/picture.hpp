// picture.hpp: curves in a grid of panels, and the way to get them drawn.
//
// Drawing uses cairo, which lives in a shared object of its own (lib/broch/broch_plot.so) so that
// the program itself neither links nor needs it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace broch::plot {

struct Series {
  std::string name;
  std::vector<double> x, y;  // equally long, x ascending; a y that is not finite breaks the line
  size_t colour = 0;         // those with equal numbers look alike …
  size_t dash = 0;           // … in this, too
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

enum class Format { png, svg, pdf };
// Of a file, by what its name ends with; none: something else.
std::optional<Format> format_of(std::string_view file);
// Whether a file that begins with these bytes is a picture of one of the formats.
bool is_picture(std::string_view beginning);

// The bytes of the file. Throws base::Error (plugin) when the drawing half cannot be opened.
std::string draw(const Picture& picture, Format format);

// What broch_plot.so exports under kDrawSymbol; an exception does not leave it.
using DrawFunction = bool(const Picture& picture, Format format, std::string& bytes,
                          std::string& error);
inline constexpr const char* kDrawSymbol = "broch_plot_draw";

}  // namespace broch::plot
