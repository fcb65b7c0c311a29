// sheet.hpp: the sheet that a picture is drawn on, and its file.
#pragma once
#include <cairo.h>

#include <exception>
#include <functional>
#include <string>

#include "plot/picture.hpp"

namespace broch::plot {

struct Size {
  double width, height;
};

// Calls what measures texts, before a sheet of the right size exists.
void measure(const std::function<void(cairo_t*)>& measuring);
// The bytes of a file with a white sheet and the drawing on it. title: for the file's metadata.
// Throws std::runtime_error.
std::string draw_sheet(const Size& size, Format format, const std::string& title,
                       const std::function<void(cairo_t*)>& drawing);

inline constexpr double kMargin = 20, kHeader = 46;  // around everything; for the heading
// Writes the title of a picture of this width above everything else.
void draw_heading(cairo_t* cairo, const std::string& title, double width);

// Runs what draws, for the functions that are exported: they throw no exceptions.
template <class Drawing>
bool guarded(const Drawing& drawing, std::string& bytes, std::string& error) {
  try {
    bytes = drawing();
    return true;
  } catch (const std::exception& exception) {
    error = exception.what();
    return false;
  }
}

}  // namespace broch::plot
