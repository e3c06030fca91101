// Small pieces of HTML in the theme's colours, for the inspector. Every text is escaped here except
// where a parameter is called html.
#pragma once

#include <QColor>
#include <QString>

#include <string>

namespace loopglass::views {

class Page {
 public:
  void title(const std::string& text, const QString& chip_html);
  void heading(const QString& text);
  void paragraph(const QString& html);
  void preformatted(const std::string& text);  // code of several lines
  void open_table();
  void row(const QString& name_html, const QString& value_html);
  void row(const std::string& name, const QString& value_html) { row(escape(name), value_html); }
  void row(const char* name, const QString& value_html) {
    row(QString::fromUtf8(name), value_html);
  }
  void close_table();
  void open_list();
  void item(const QString& html);
  void close_list();

  QString html() const;

  static QString escape(const QString& text) { return text.toHtmlEscaped(); }
  static QString escape(const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped();
  }
  static QString link(const QString& target, const std::string& text);
  static QString code(const std::string& text);
  static QString muted(const std::string& text);
  static QString colored(const QColor& color, const QString& text);
  static QString chip(const QColor& fill, const QColor& text_color, const std::string& text);

 private:
  QString body_;
};

}  // namespace loopglass::views
