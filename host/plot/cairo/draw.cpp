// draw.cpp: draws a whole picture into a file; the only function that broch_plot.so exports.
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>

#include "panel.hpp"

namespace broch::plot {
namespace {

constexpr double kScale = 2;  // device pixels per unit in a PNG, for dense screens
constexpr double kPanelWidth = 560, kMargin = 20, kHeader = 46;
constexpr double kHeadingSize = 21;
constexpr size_t kColumns = 3;

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;
using Cairo = std::unique_ptr<cairo_t, void (*)(cairo_t*)>;

cairo_status_t append(void* to, const unsigned char* bytes, unsigned int size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

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

// Computes sizes before a surface exists, because texts have to be measured.
Grid measure(const Picture& picture) {
  const Surface surface(cairo_recording_surface_create(CAIRO_CONTENT_COLOR, nullptr),
                        &cairo_surface_destroy);
  const Cairo cairo(cairo_create(surface.get()), &cairo_destroy);
  return arrange(cairo.get(), picture);
}

void draw_on(cairo_t* cairo, const Picture& picture, const Grid& grid) {
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size(cairo, kHeadingSize);
  set_colour(cairo, kInk);
  cairo_move_to(cairo, kMargin, kMargin + kHeadingSize);
  cairo_show_text(cairo, fitted(cairo, picture.title, grid.width - 2 * kMargin).c_str());
  double y = kMargin + kHeader;
  for (size_t i = 0; i < picture.panels.size(); ++i) {
    const size_t column = i % grid.columns, row = i / grid.columns;
    const double x = kMargin + double(column) * (kPanelWidth + kMargin);
    draw_panel(cairo, picture.panels[i], picture, {x, y, kPanelWidth, grid.heights[row]});
    if (column + 1 == grid.columns) y += grid.heights[row] + kMargin;
  }
}

Surface surface_for(const Picture& picture, Format format, const Grid& grid, std::string& bytes) {
  switch (format) {
    case Format::svg:
      return {cairo_svg_surface_create_for_stream(&append, &bytes, grid.width, grid.height),
              &cairo_surface_destroy};
    case Format::pdf: {
      Surface surface(cairo_pdf_surface_create_for_stream(&append, &bytes, grid.width, grid.height),
                      &cairo_surface_destroy);
      cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE,
                                     picture.title.c_str());
      return surface;
    }
    case Format::png:
      break;
  }
  return {cairo_image_surface_create(CAIRO_FORMAT_RGB24, int(grid.width * kScale),
                                     int(grid.height * kScale)),
          &cairo_surface_destroy};
}

std::string draw_all(const Picture& picture, Format format) {
  const Grid grid = measure(picture);
  std::string bytes;
  const Surface surface = surface_for(picture, format, grid, bytes);
  Cairo cairo(cairo_create(surface.get()), &cairo_destroy);
  if (format == Format::png) cairo_scale(cairo.get(), kScale, kScale);
  draw_on(cairo.get(), picture, grid);
  cairo_status_t status = cairo_status(cairo.get());
  cairo.reset();
  if (status == CAIRO_STATUS_SUCCESS && format == Format::png)
    status = cairo_surface_write_to_png_stream(surface.get(), &append, &bytes);
  cairo_surface_finish(surface.get());  // SVG and PDF are written here
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS) throw std::runtime_error(cairo_status_to_string(status));
  return bytes;
}

}  // namespace
}  // namespace broch::plot

extern "C" __attribute__((visibility("default"))) bool broch_plot_draw(
    const broch::plot::Picture& picture, broch::plot::Format format, std::string& bytes,
    std::string& error) {
  try {
    bytes = broch::plot::draw_all(picture, format);
    return true;
  } catch (const std::exception& exception) {
    error = exception.what();
    return false;
  }
}
