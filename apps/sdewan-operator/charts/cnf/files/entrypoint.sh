#!/bin/sh
# Starts OpenWrt in a pod: creates a configuration section for each attached network, reads password and certificate from Secrets, starts the services.
set -e
. /tmp/sdewan/settings.sh

networks() {
  sed -n 's|^k8s.plugin.opnfv.org/nfn-network=||p' /tmp/podinfo/annotations | jq -r 'fromjson | .interface[].interface'
}
address_of() {
  ip -4 -o addr show dev "$1" | awk '{ split($4, parts, "/"); print parts[1]; exit }'
}
mask_of() {
  ifconfig "$1" | sed -n 's/.*\(Mask:\|netmask \)\([0-9.]*\).*/\2/p' | head -n 1
}

sysctl -w net.ipv4.ip_forward=1

: > /etc/config/network
# The REST API does not create sections for interfaces. Without them, every Mwan3Policy would be refused.
cat > /etc/config/mwan3 <<EOF
config globals 'globals'
	option mmx_mask '0x3F00'
	option local_source 'lan'
EOF
for interface in $(networks); do
  cat >> /etc/config/network <<EOF
config interface '$interface'
	option ifname '$interface'
	option proto 'static'
	option ipaddr '$(address_of "$interface")'
	option netmask '$(mask_of "$interface")'
EOF
  cat >> /etc/config/mwan3 <<EOF
config interface '$interface'
	option enabled '1'
	option family 'ipv4'
EOF
done

printf 'root:%s\n' "$(cat /tmp/sdewan-account/password)" | chpasswd -m
if [ -d /tmp/sdewan-certs ]; then
  cp /tmp/sdewan-certs/tls.crt /etc/uhttpd.crt
  cp /tmp/sdewan-certs/tls.key /etc/uhttpd.key
fi

/sbin/procd &
/sbin/ubusd &
# Loads a kernel module that the firewall needs.
iptables -t nat -L > /dev/null
sleep 1
for service in rpcd dnsmasq network odhcpd uhttpd log dropbear; do
  "/etc/init.d/$service" start
done
/etc/init.d/mwan3 restart
/etc/init.d/firewall restart

# The container may have run before: the packet filter rules of the pod outlive it.
translate() {
  chain=$1
  shift
  iptables -t nat -C "$chain" "$@" 2> /dev/null || iptables -t nat -I "$chain" 1 "$@"
}
route_by() {
  ip rule del "$@" 2> /dev/null || true
  ip rule add "$@"
}

if [ -n "$PROVIDER_CIDR" ]; then
  for interface in $(networks); do
    if ip -4 route show dev "$interface" | grep -q "^$PROVIDER_CIDR "; then
      translate POSTROUTING -o "$interface" -d "$PROVIDER_CIDR" -j SNAT --to-source "$(address_of "$interface")"
    fi
  done
fi
if [ -n "$PUBLIC_IP_ADDRESS" ]; then
  translate PREROUTING -p tcp -d "$PUBLIC_IP_ADDRESS" --dport 6443 -j DNAT --to-destination "$API_SERVER"
fi
if [ -n "$DEFAULT_CIDR" ]; then
  route_by from "$DEFAULT_CIDR" lookup 40
  route_by from "$(address_of eth0)" lookup main
fi

while true; do sleep 3600; done
