# One image for every process of Belay; docker-compose.yml says which process a container runs.

FROM node:24-bookworm-slim AS pages
WORKDIR /build
COPY webapp/frontend/package.json webapp/frontend/package-lock.json webapp/frontend/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY webapp/frontend ./
RUN npm run build

FROM python:3.11-slim-bookworm AS packages
COPY requirements.lock ./
RUN python -m venv /opt/belay && /opt/belay/bin/pip install --no-cache-dir -r requirements.lock

FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium-headless-shell chromium-sandbox fonts-dejavu-core fonts-noto-cjk tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home belay \
    && install -d -o belay -g belay -m 0700 /var/lib/belay
COPY --from=packages /opt/belay /opt/belay
WORKDIR /app
COPY . .
COPY --from=pages /build/dist webapp/frontend/dist
ENV PATH=/opt/belay/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    BELAY_STATE_DIR=/var/lib/belay \
    DJANGO_SETTINGS_MODULE=webapp.settings
USER belay
# Static files are the image's own: collected here, with variables that lead nowhere.
RUN BELAY_EMBEDDED=1 SECRET_KEY=only-while-static-files-are-collected S3_ACCESS_KEY=none S3_SECRET_KEY=nowhere-at-all \
    DATABASE_URL=postgresql://nobody@127.0.0.1:1/none VALKEY_URL=redis://127.0.0.1:1/0 S3_ENDPOINT_URL=http://127.0.0.1:1 \
    python manage.py collectstatic --noinput
ENTRYPOINT ["tini", "--"]
CMD ["gunicorn", "webapp.asgi:application", "--worker-class", "uvicorn_worker.UvicornWorker", "--workers", "2", "--bind", "0.0.0.0:8000"]
