"""The pages: views, forms, charts and how numbers read."""
