// draw.cpp: draws a whole picture of panels.
#include <algorithm>

#include "panel.hpp"
#include "sheet.hpp"

namespace broch::plot {
namespace {

constexpr double kPanelWidth = 560;
constexpr size_t kColumns = 3;

// The positions of the panels. Each row is as high as its highest panel.
struct Grid {
  size_t columns;
  std::vector<double> heights;  // of the rows
  double width, height;         // of the picture
};

size_t columns_for(size_t panels) {
  if (panels == 4) return 2;
  return std::min(panels, kColumns);
}

Grid arrange(cairo_t* cairo, const Picture& picture) {
  Grid grid{columns_for(picture.panels.size()), {}, 0, kMargin + kHeader};
  for (size_t i = 0; i < picture.panels.size(); ++i) {
    if (i % grid.columns == 0) grid.heights.push_back(0);
    double& height = grid.heights.back();
    height = std::max(height, panel_height(cairo, picture.panels[i], kPanelWidth));
  }
  for (const double height : grid.heights) grid.height += height + kMargin;
  grid.width = kMargin + double(grid.columns) * (kPanelWidth + kMargin);
  return grid;
}

void draw_on(cairo_t* cairo, const Picture& picture, const Grid& grid) {
  draw_heading(cairo, picture.title, grid.width);
  double y = kMargin + kHeader;
  for (size_t i = 0; i < picture.panels.size(); ++i) {
    const size_t column = i % grid.columns, row = i / grid.columns;
    const double x = kMargin + double(column) * (kPanelWidth + kMargin);
    draw_panel(cairo, picture.panels[i], picture, {x, y, kPanelWidth, grid.heights[row]});
    if (column + 1 == grid.columns) y += grid.heights[row] + kMargin;
  }
}

std::string draw_all(const Picture& picture, Format format) {
  Grid grid;
  measure([&](cairo_t* cairo) { grid = arrange(cairo, picture); });
  return draw_sheet({grid.width, grid.height}, format, picture.title,
                    [&](cairo_t* cairo) { draw_on(cairo, picture, grid); });
}

}  // namespace
}  // namespace broch::plot

extern "C" __attribute__((visibility("default"))) bool broch_plot_draw(
    const broch::plot::Picture& picture, broch::plot::Format format, std::string& bytes,
    std::string& error) {
  return broch::plot::guarded([&] { return broch::plot::draw_all(picture, format); }, bytes, error);
}
