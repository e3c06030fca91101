#include "app/export/picture.h"

#include "core/support/whole_file.h"
#include "views/theme_scope.h"

#include <QBuffer>
#include <QImage>
#include <QImageWriter>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace loopglass::app {
namespace {

constexpr double margin = 24;  // of paper around the picture, in its units
// Readers of PDF show pages of at most 200 inches; pictures of more pixels are not opened gladly.
constexpr double largest_page = 200 * 96, largest_side = 32000, most_pixels = 80e6;
// Smaller than this, of its natural size, no name can be read.
constexpr double least_scale = 0.25, scale_of_page = 0.02;

// What a device is given to draw on, and how large the picture is there: 1 is its natural size.
QSizeF paper(const Picture& picture) { return picture.size + QSizeF(2 * margin, 2 * margin); }

// A view transform leaves the items' own measure alone, by which they leave out what is too small.
bool draw(QPainter& painter, const Picture& picture, QSizeF device, const Progress& progress,
          const Cancellation& cancellation) {
  const views::ThemeScope light(views::Tone::Light);
  painter.setWindow(QRect(QPoint(0, 0), paper(picture).toSize()));
  painter.setViewport(QRect(QPoint(0, 0), device.toSize()));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(QRectF({}, paper(picture)), views::theme().surface);
  painter.translate(margin, margin);
  picture.paint(painter, [&](double share) {
    if (progress) progress({}, share);
    return !cancellation.requested();
  });
  return !cancellation.requested();
}

std::unexpected<Diagnostic> cancelled() {
  return fail(Code::Cancelled, "the export was cancelled");
}

std::unexpected<Diagnostic> too_large(const Picture& picture, const char* format,
                                      const char* hint) {
  return fail(
      Code::ExportTooLarge,
      fmt::format(
          "at {:.0f} by {:.0f} pixels '{}' is too large for a {} in which names can be read",
          picture.size.width(), picture.size.height(), picture.title.toStdString(), format),
      picture.title.toStdString(), hint);
}

// XML has no control characters, not even as references; names that come from models may hold them.
void leave_out_control_characters(QByteArray& xml) {
  xml.removeIf([](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
  // U+FFFE and U+FFFF, as they are in UTF-8.
  for (const char* none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) xml.replace(none, "\xef\xbf\xbd");
}

Result<QByteArray> svg_of(const Picture& picture, const Progress& progress,
                          const Cancellation& cancellation) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  // Fonts are measured by the screen, which has this.
  generator.setResolution(QImage(1, 1, QImage::Format_RGB32).logicalDpiY());
  generator.setSize(paper(picture).toSize());
  generator.setViewBox(QRectF({}, paper(picture)));
  generator.setTitle(picture.title);
  generator.setDescription(picture.description);
  QPainter painter(&generator);
  if (!draw(painter, picture, paper(picture), progress, cancellation)) return cancelled();
  painter.end();
  leave_out_control_characters(bytes);
  return bytes;
}

Result<QByteArray> pdf_of(const Picture& picture, const Progress& progress,
                          const Cancellation& cancellation) {
  const QSizeF size = paper(picture);
  const double scale = std::min(1.0, largest_page / std::max(size.width(), size.height()));
  if (scale < scale_of_page)
    return too_large(picture, "PDF page", "an SVG file has no largest size");
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setTitle(picture.title);
  writer.setCreator(QString("Loopglass " LOOPGLASS_VERSION));
  const int resolution = QImage(1, 1, QImage::Format_RGB32).logicalDpiY();
  writer.setResolution(resolution);
  writer.setPageSize(
      QPageSize(size * scale * 72 / resolution, QPageSize::Point, {}, QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF());
  QPainter painter(&writer);
  if (!draw(painter, picture, size * scale, progress, cancellation)) return cancelled();
  painter.end();
  return bytes;
}

Result<QByteArray> png_bytes(const QImage& image) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  if (!QImageWriter(&buffer, "png").write(image))
    return fail(Code::OutOfMemory, "the image cannot be encoded");
  return bytes;
}

Result<QByteArray> png_of(const Picture& picture, const Progress& progress,
                          const Cancellation& cancellation) {
  const QSizeF size = paper(picture);
  const double scale = std::min({2.0, largest_side / std::max(size.width(), size.height()),
                                 std::sqrt(most_pixels / (size.width() * size.height()))});
  if (scale < least_scale) return too_large(picture, "PNG image", "an SVG file can be of any size");
  QImage image((size * scale).toSize(), QImage::Format_RGB32);
  if (image.isNull()) return fail(Code::OutOfMemory, "there is not enough memory for the image");
  // To the last pixel, however sizes are rounded.
  image.fill(views::theme_of(views::Tone::Light).surface);
  image.setText("Title", picture.title);
  image.setText("Description", picture.description);
  QPainter painter(&image);
  if (!draw(painter, picture, size * scale, progress, cancellation)) return cancelled();
  painter.end();
  return png_bytes(image);
}

Result<void> write_whole(WholeFile& whole, const QByteArray& bytes) {
  TRY_VOID(whole.write({bytes.constData(), static_cast<std::size_t>(bytes.size())}));
  return whole.put_in_place();
}

}  // namespace

Result<void> write_picture(const Picture& picture, FileFormat format, const std::string& file,
                           const Progress& progress, const Cancellation& cancellation) {
  // Before the work, not after it.
  WholeFile whole = TRY(WholeFile::create(file, exported_file));
  const auto make = format == FileFormat::Svg   ? svg_of
                    : format == FileFormat::Pdf ? pdf_of
                                                : png_of;
  return write_whole(whole, TRY(make(picture, progress, cancellation)));
}

Result<void> write_image(const QImage& image, const std::string& file) {
  WholeFile whole = TRY(WholeFile::create(file, exported_file));
  return write_whole(whole, TRY(png_bytes(image)));
}

}  // namespace loopglass::app
