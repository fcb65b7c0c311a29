// panel.cpp: one panel from top to bottom.
#include "panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ticks.hpp"

namespace broch::plot {
namespace {

// Colours that people with any colour vision tell apart (Okabe and Ito, "Color Universal Design").
constexpr Colour kColours[] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                               {0.80, 0.47, 0.65}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91}};
constexpr Colour kGrid{0.90, 0.91, 0.92};
constexpr double kTitleSize = 17, kTextSize = 13.5, kRow = 22;
constexpr double kLeft = 66, kRight = 18, kBottom = 52;
constexpr double kSwatch = 24, kGap = 8, kEntryGap = 20;
constexpr double kMarkersUpTo = 60;  // points; more would merge into a thick line

const Colour& colour_of(size_t index) { return kColours[index % std::size(kColours)]; }

double text_width(cairo_t* cairo, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, text.c_str(), &extents);
  return extents.x_advance;
}

// align: 0 starts at x, 0.5 is centred, 1 ends there.
void text_at(cairo_t* cairo, const std::string& text, double x, double y, double align = 0) {
  cairo_move_to(cairo, x - align * text_width(cairo, text), y);
  cairo_show_text(cairo, text.c_str());
}

class PanelDrawing {
 public:
  PanelDrawing(cairo_t* cairo, const Panel& panel, const Box& box)
      : cairo_(cairo), panel_(panel), box_(box) {}

  void draw(const std::string& x_label) {
    const double top = legend(title());
    area_ = {box_.x + kLeft, top, box_.width - kLeft - kRight,
             box_.y + box_.height - kBottom - top};
    measure();
    cairo_set_font_size(cairo_, kTextSize);
    if (x_.high > x_.low && any_) grid();
    frame(x_label);
    for (size_t i = 0; i < panel_.series.size(); ++i) curve(panel_.series[i], colour_of(i));
  }

 private:
  double title() {
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(cairo_, kTitleSize);
    set_colour(cairo_, kInk);
    text_at(cairo_, panel_.title, box_.x + kLeft, box_.y + kTitleSize);
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    return box_.y + kTitleSize + kRow;
  }

  // Rows of entries above the axes, where no curve can run through them; returns where it ends.
  double legend(double y) {
    cairo_set_font_size(cairo_, kTextSize);
    double x = box_.x + kLeft;
    for (size_t i = 0; i < panel_.series.size(); ++i) {
      const std::string& name = panel_.series[i].name;
      const double width = kSwatch + kGap + text_width(cairo_, name);
      if (x > box_.x + kLeft && x + width > box_.x + box_.width - kRight) {
        x = box_.x + kLeft;
        y += kRow;
      }
      set_colour(cairo_, colour_of(i));
      cairo_set_line_width(cairo_, 2);
      cairo_move_to(cairo_, x, y - kTextSize / 3);
      cairo_line_to(cairo_, x + kSwatch, y - kTextSize / 3);
      cairo_stroke(cairo_);
      marker(x + kSwatch / 2, y - kTextSize / 3, 3);
      set_colour(cairo_, kInk);
      text_at(cairo_, name, x + kSwatch + kGap, y);
      x += width + kEntryGap;
    }
    return y + kRow / 2;
  }

  void measure() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double left = kInfinity, right = -kInfinity, low = kInfinity, high = -kInfinity;
    for (const Series& series : panel_.series)
      for (size_t i = 0; i < series.x.size(); ++i) {
        left = std::min(left, series.x[i]);
        right = std::max(right, series.x[i]);
        if (!std::isfinite(series.y[i])) continue;
        low = std::min(low, series.y[i]);
        high = std::max(high, series.y[i]);
      }
    any_ = low <= high;
    if (!any_) return;
    x_ = whole_axis(left, right, 8);
    y_ = round_axis(std::min(low, 0.0), std::max(high, 0.0), 6);
  }

  double place_x(double x) const {
    return area_.x + (x - x_.low) / (x_.high - x_.low) * area_.width;
  }
  double place_y(double y) const {
    return area_.y + (1 - (y - y_.low) / (y_.high - y_.low)) * area_.height;
  }

  void line(double x0, double y0, double x1, double y1) {
    cairo_move_to(cairo_, x0, y0);
    cairo_line_to(cairo_, x1, y1);
    cairo_stroke(cairo_);
  }

  void grid() {
    cairo_set_line_width(cairo_, 1);
    for (const double tick : y_.ticks()) {
      set_colour(cairo_, kGrid);
      line(area_.x, place_y(tick), area_.x + area_.width, place_y(tick));
      set_colour(cairo_, kPaleInk);
      text_at(cairo_, y_.label(tick), area_.x - 9, place_y(tick) + kTextSize / 3, 1);
    }
    for (const double tick : x_.ticks()) {
      set_colour(cairo_, kGrid);
      line(place_x(tick), area_.y, place_x(tick), area_.y + area_.height);
      set_colour(cairo_, kPaleInk);
      text_at(cairo_, x_.label(tick), place_x(tick), area_.y + area_.height + 20, 0.5);
    }
  }

  void frame(const std::string& x_label) {
    set_colour(cairo_, kPaleInk);
    cairo_set_line_width(cairo_, 1.2);
    line(area_.x, area_.y, area_.x, area_.y + area_.height);
    line(area_.x, area_.y + area_.height, area_.x + area_.width, area_.y + area_.height);
    text_at(cairo_, x_label, area_.x + area_.width / 2, area_.y + area_.height + 42, 0.5);
    if (!any_)
      text_at(cairo_, "no values", area_.x + area_.width / 2, area_.y + area_.height / 2, 0.5);
  }

  void marker(double x, double y, double radius) {
    cairo_new_sub_path(cairo_);
    cairo_arc(cairo_, x, y, radius, 0, 2 * std::acos(-1.0));
    cairo_fill(cairo_);
  }

  void curve(const Series& series, const Colour& colour) {
    set_colour(cairo_, colour);
    cairo_set_line_width(cairo_, 2);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
    bool drawing = false;
    for (size_t i = 0; i < series.x.size(); ++i) {
      const bool finite = std::isfinite(series.y[i]);
      if (finite && drawing)
        cairo_line_to(cairo_, place_x(series.x[i]), place_y(series.y[i]));
      else if (finite)
        cairo_move_to(cairo_, place_x(series.x[i]), place_y(series.y[i]));
      drawing = finite;
    }
    cairo_stroke(cairo_);
    if (series.x.size() > kMarkersUpTo) return;
    const double radius = series.x.size() == 1 ? 5 : 2.6;
    for (size_t i = 0; i < series.x.size(); ++i)
      if (std::isfinite(series.y[i])) marker(place_x(series.x[i]), place_y(series.y[i]), radius);
  }

  cairo_t* cairo_;
  const Panel& panel_;
  Box box_, area_{};
  Axis x_, y_;
  bool any_ = false;
};

}  // namespace

void set_colour(cairo_t* cairo, const Colour& colour) {
  cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue);
}

void draw_panel(cairo_t* cairo, const Panel& panel, const std::string& x_label, const Box& box) {
  PanelDrawing(cairo, panel, box).draw(x_label);
}

}  // namespace broch::plot
