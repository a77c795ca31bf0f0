/* The page's own text, made from tools/report/page/ by tools/report/page/embed. */
#ifndef WM_PAGE_TEXT_H
#define WM_PAGE_TEXT_H

/* The HTML file's lines; where one is "<!--style-->", "<!--data-->" or "<!--script-->", that comes in its place. */
extern const char wm_page_html[];
extern const char wm_page_style[], wm_page_script[];

#endif
