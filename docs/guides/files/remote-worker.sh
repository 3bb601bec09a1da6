#!/bin/sh
# A remote worker: pulls one attempt at a time, prints a label once for each key, and says what became of it.
PAWL="${PAWL:-npx pawl}" PRINTED="${PRINTED:-./printed}"
json() { node -pe "JSON.parse(require('fs').readFileSync(0, 'utf8'))[0]?.$1 ?? ''"; }
mkdir -p "$PRINTED"
while attempt=$($PAWL queue pull printers --lease 1m --wait "${WAIT:-20s}" -o json); do
  handout=$(printf %s "$attempt" | json handOut)
  if [ -z "$handout" ]; then [ -n "$ONCE" ] && exit 0; continue; fi
  key=$(printf %s "$attempt" | json key)
  parcel=$(printf %s "$attempt" | json request.parcel)
  # The same key again is the same label: one that is there is not printed again.
  [ -f "$PRINTED/$key" ] || echo "label of $parcel" >"$PRINTED/$key" || {
    $PAWL queue settle "$handout" --outcome unavailable --code printer-off
    continue
  }
  $PAWL queue settle "$handout" --output "{\"label\":\"L-$parcel\"}"
done
