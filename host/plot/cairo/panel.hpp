// panel.hpp: one panel of a picture: title, legend, axes with numbers, curves.
#pragma once
#include <cairo.h>

#include "plot/picture.hpp"

namespace broch::plot {

struct Box {
  double x, y, width, height;
};

struct Color {
  double red, green, blue;
};
inline constexpr Color kInk{0.13, 0.15, 0.18};
inline constexpr Color kPaleInk{0.38, 0.41, 0.45};

void set_color(cairo_t* cairo, const Color& color);
// The text or, if it is wider than width in the current font, its two ends with "…" in between.
std::string fitted(cairo_t* cairo, const std::string& text, double width);

// The height that a panel of this width needs for its legend and for axes of normal height.
double panel_height(cairo_t* cairo, const Panel& panel, double width);
// panel: one of the picture.
void draw_panel(cairo_t* cairo, const Panel& panel, const Picture& picture, const Box& box);

}  // namespace broch::plot
