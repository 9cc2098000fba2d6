# One image for the coordinator and the workers: the wheel and its locked libraries, nothing else.
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY sitemap_audit sitemap_audit
COPY crawler crawler
COPY workers workers
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /dist

# Not Alpine: the libraries come as glibc wheels.
FROM python:3.13-slim
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements.lock /tmp/requirements.lock
RUN pip install --require-hashes --only-binary :all: -r /tmp/requirements.lock && rm /tmp/requirements.lock
COPY --from=build /dist /tmp/dist
RUN pip install --no-deps /tmp/dist/*.whl && rm -r /tmp/dist \
    && useradd --create-home --uid 10001 audit && mkdir /audits && chown audit /audits
USER audit
# A volume: runs lie in audits/HOST/TIME below it, and sitemap-audit.toml is looked for in it.
WORKDIR /audits
ENTRYPOINT ["sitemap-audit"]
CMD ["--help"]
