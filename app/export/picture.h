// Something to be put on paper as a whole, and the files it can become. Pictures are light,
// whatever the window's theme, and their text stays text in SVG and PDF.
#pragma once

#include "app/common/export_options.h"
#include "core/support/cancellation.h"

#include <QSizeF>
#include <QString>

#include <functional>

class QImage;
class QPainter;

namespace loopglass::app {

// Asked now and then with the share of the work that is done; false: give up.
using GoOn = std::function<bool(double)>;

struct Picture {
  QString title;        // in the file's metadata
  QString description;  // the same: a sentence
  QSizeF size;          // in units of 1/96 inch, the screen's usual pixel
  // From the origin. Called on the thread that writes the file, in the light theme. Asks now and
  // then whether to go on, and does not where it says no.
  std::function<void(QPainter&, const GoOn&)> paint;
};

// PDF pages, and pictures in PNG, that would be larger than these formats or their readers bear are
// made smaller. ExportUnwritable, DiskFull, PermissionMissing (the old file stays), Cancelled;
// ExportTooLarge where names could not be read any more.
Result<void> write_picture(const Picture& picture, FileFormat format, const std::string& file,
                           const Progress& progress = {}, const Cancellation& cancellation = {});

// What is on the screen already. Refused as write_picture says, or OutOfMemory.
Result<void> write_image(const QImage& image, const std::string& file);

}  // namespace loopglass::app
