// sheet.cpp: surfaces of cairo.
#include "sheet.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <memory>
#include <stdexcept>

#include "panel.hpp"

namespace broch::plot {
namespace {

constexpr double kScale = 2;  // device pixels per unit in a PNG, for dense screens
constexpr double kHeadingSize = 21;

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;
using Cairo = std::unique_ptr<cairo_t, void (*)(cairo_t*)>;

cairo_status_t append(void* to, const unsigned char* bytes, unsigned int size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

Surface surface_for(const Size& size, Format format, const std::string& title, std::string& bytes) {
  switch (format) {
    case Format::svg:
      return {cairo_svg_surface_create_for_stream(&append, &bytes, size.width, size.height),
              &cairo_surface_destroy};
    case Format::pdf: {
      Surface surface(cairo_pdf_surface_create_for_stream(&append, &bytes, size.width, size.height),
                      &cairo_surface_destroy);
      cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
      return surface;
    }
    case Format::png:
      break;
  }
  return {cairo_image_surface_create(CAIRO_FORMAT_RGB24, int(size.width * kScale),
                                     int(size.height * kScale)),
          &cairo_surface_destroy};
}

}  // namespace

void measure(const std::function<void(cairo_t*)>& measuring) {
  const Surface surface(cairo_recording_surface_create(CAIRO_CONTENT_COLOR, nullptr),
                        &cairo_surface_destroy);
  const Cairo cairo(cairo_create(surface.get()), &cairo_destroy);
  measuring(cairo.get());
}

std::string draw_sheet(const Size& size, Format format, const std::string& title,
                       const std::function<void(cairo_t*)>& drawing) {
  std::string bytes;
  const Surface surface = surface_for(size, format, title, bytes);
  Cairo cairo(cairo_create(surface.get()), &cairo_destroy);
  if (format == Format::png) cairo_scale(cairo.get(), kScale, kScale);
  cairo_set_source_rgb(cairo.get(), 1, 1, 1);
  cairo_paint(cairo.get());
  drawing(cairo.get());
  cairo_status_t status = cairo_status(cairo.get());
  cairo.reset();
  if (status == CAIRO_STATUS_SUCCESS && format == Format::png)
    status = cairo_surface_write_to_png_stream(surface.get(), &append, &bytes);
  cairo_surface_finish(surface.get());  // SVG and PDF are written here
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS) throw std::runtime_error(cairo_status_to_string(status));
  return bytes;
}

void draw_heading(cairo_t* cairo, const std::string& title, double width) {
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size(cairo, kHeadingSize);
  set_color(cairo, kInk);
  cairo_move_to(cairo, kMargin, kMargin + kHeadingSize);
  cairo_show_text(cairo, fitted(cairo, title, width - 2 * kMargin).c_str());
}

}  // namespace broch::plot
