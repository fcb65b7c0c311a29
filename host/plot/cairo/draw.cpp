// draw.cpp: the whole picture as PNG; the one function of broch_plot.so.
#include <cairo.h>

#include <exception>
#include <memory>
#include <stdexcept>

#include "panel.hpp"

namespace broch::plot {
namespace {

constexpr double kScale = 2;  // device pixels: sharp on dense screens
constexpr double kPanelWidth = 560, kPanelHeight = 400, kMargin = 16, kHeader = 46;
constexpr double kHeadingSize = 21;

cairo_status_t append(void* to, const unsigned char* bytes, unsigned int size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

void draw(cairo_t* cairo, const Picture& picture) {
  cairo_scale(cairo, kScale, kScale);
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size(cairo, kHeadingSize);
  set_colour(cairo, kInk);
  cairo_move_to(cairo, kMargin, kMargin + kHeadingSize);
  cairo_show_text(cairo, picture.title.c_str());
  double x = kMargin;
  for (const Panel& panel : picture.panels) {
    draw_panel(cairo, panel, picture.x_label, {x, kMargin + kHeader, kPanelWidth, kPanelHeight});
    x += kPanelWidth + kMargin;
  }
}

std::string draw_all(const Picture& picture) {
  const double width = kMargin + double(picture.panels.size()) * (kPanelWidth + kMargin);
  const double height = 2 * kMargin + kHeader + kPanelHeight;
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, int(width * kScale), int(height * kScale)),
      &cairo_surface_destroy);
  const std::unique_ptr<cairo_t, void (*)(cairo_t*)> cairo(cairo_create(surface.get()),
                                                           &cairo_destroy);
  draw(cairo.get(), picture);
  std::string bytes;
  cairo_status_t status = cairo_status(cairo.get());
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream(surface.get(), &append, &bytes);
  if (status != CAIRO_STATUS_SUCCESS) throw std::runtime_error(cairo_status_to_string(status));
  return bytes;
}

}  // namespace
}  // namespace broch::plot

extern "C" __attribute__((visibility("default"))) bool broch_plot_draw(
    const broch::plot::Picture& picture, std::string& bytes, std::string& error) {
  try {
    bytes = broch::plot::draw_all(picture);
    return true;
  } catch (const std::exception& exception) {
    error = exception.what();
    return false;
  }
}
