// panel.hpp: one panel: title, legend, axes with numbers, curves.
#pragma once
#include <cairo.h>

#include "plot/picture.hpp"

namespace broch::plot {

struct Box {
  double x, y, width, height;
};

struct Colour {
  double red, green, blue;
};
inline constexpr Colour kInk{0.13, 0.15, 0.18};
inline constexpr Colour kPaleInk{0.38, 0.41, 0.45};

void set_colour(cairo_t* cairo, const Colour& colour);
// The text, or its two ends with "…" between them, so that it is at most so wide in the font that
// is set.
std::string fitted(cairo_t* cairo, const std::string& text, double width);

// What a panel of this width needs, for its legend and for axes of the usual height.
double panel_height(cairo_t* cairo, const Panel& panel, double width);
void draw_panel(cairo_t* cairo, const Panel& panel, const std::string& x_label, const Box& box);

}  // namespace broch::plot
